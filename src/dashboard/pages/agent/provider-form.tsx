import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action, tell } from '../../parts/action.tsx';
import { entryOf, type Held, useDraft } from '../../parts/draft.ts';
import { Area, Check, Choice, Field, Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { TestAgent } from './deliveries.tsx';

type Catalog = Answers['GET /api/agents/providers'];
type Stored = Answers['GET /api/agents/{agent_id}/provider'];
type Found = Answers['POST /api/agents/{agent_id}/provider/browse'];

const t = texts.provider;

/** The model that answers for an agent. */
export function ProviderForm({ agentId }: { readonly agentId: string }) {
  const catalog = useAnswer('GET /api/agents/providers');
  const stored = useAnswer('GET /api/agents/{agent_id}/provider', { params: { agent_id: agentId } });
  return (
    <Loaded answer={catalog}>
      {(known) => (
        <Loaded answer={stored}>
          {(provider) => (
            <Editor key={`${provider.provider} ${provider.updated_at}`} catalog={known} stored={provider} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Editor({ catalog, stored }: { readonly catalog: Catalog; readonly stored: Stored }) {
  const { system_prompt: prompt, greeting, event_filter } = stored;
  const first = { provider: stored.provider ?? '', system_prompt: prompt ?? '', greeting: greeting ?? '' };
  const draft = useDraft(first);
  const config = useSignal<Readonly<Record<string, string>>>(stored.config);
  const filter = useSignal(event_filter);
  const name = draft.provider.value;
  const isSame = name === stored.provider;
  const params = { agent_id: stored.agent_id };
  const provider = catalog.providers.find((each) => each.name === name);

  // Another provider has other fields.
  useEffect(() => {
    config.value = isSame ? stored.config : {};
  }, [name]);

  const submit = async (): Promise<void> => {
    const words = {
      system_prompt: draft.system_prompt.value || null,
      greeting: draft.greeting.value || null,
    };
    const chosen = { provider: name, config: filledIn(config.value), event_filter: filter.value, ...words };
    await ask('PATCH /api/agents/{agent_id}/provider', {
      params,
      body: name === '' ? { provider: null } : chosen,
    });
    tell(texts.saved);
  };
  const fields = Object.entries(provider?.schema.properties ?? {});
  return (
    <div class="columns">
      <section class="card">
        <Form submit={submit} action={texts.save}>
          <Choice
            label={t.provider}
            hint={t.providerHint}
            of={draft.provider}
            options={[['', t.none], ...catalog.providers.map((each) => [each.name, each.title] as const)]}
          />
          {fields.map(([field, property]) => (
            <Field
              key={`${name} ${field}`}
              label={property.title}
              hint={isSame && stored.secrets_set.includes(field) ? texts.keepSecret : property.description}
              type={property.writeOnly ? 'password' : 'text'}
              placeholder={property.default ?? ''}
              of={entryOf(config, field, '')}
              autocomplete="off"
            />
          ))}
          {provider && (
            <>
              <Browse
                agentId={stored.agent_id}
                provider={name}
                config={config}
                fields={fields.map(([field]) => field)}
              />
              <Area
                label={t.prompt}
                hint={t.promptHint}
                of={draft.system_prompt}
                rows={8}
                maxLength={100_000}
                placeholder={catalog.default_system_prompt}
              />
              <Area label={t.greeting} hint={t.greetingHint} of={draft.greeting} rows={2} maxLength={1_000} />
              <fieldset>
                <legend>{t.events}</legend>
                {catalog.event_types.map((type) => (
                  <Check key={type} label={t.eventTypes[type] ?? type} of={entryOf(filter, type, false)} />
                ))}
              </fieldset>
            </>
          )}
        </Form>
      </section>
      {stored.provider !== null && <TestAgent agentId={stored.agent_id} />}
    </div>
  );
}

function filledIn(config: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(config).map(([field, value]) => [field, value || null]));
}

interface BrowseProps {
  readonly agentId: string;
  readonly provider: string;
  readonly config: Held<Readonly<Record<string, string>>>;
  readonly fields: readonly string[];
}

/** Asks the provider with this key what it offers. */
function Browse({ agentId, provider, config, fields }: BrowseProps) {
  const [found, setFound] = useState<Found>();
  const browse = async (): Promise<void> => {
    const body = { provider, config: filledIn(config.value) };
    setFound(
      await ask('POST /api/agents/{agent_id}/provider/browse', { params: { agent_id: agentId }, body }),
    );
  };
  const offered = [
    { field: 'model', title: t.models, choices: found?.models ?? [] },
    { field: 'agent_id', title: t.hosted, choices: found?.agents ?? [] },
  ].filter(({ field, choices }) => choices.length > 0 && fields.includes(field));
  return (
    <div class="field">
      <Action run={browse}>{t.browse}</Action>
      {found?.notice && <p class="hint">{found.notice}</p>}
      {offered.map(({ field, title, choices }) => (
        <Choice
          key={field}
          label={title}
          of={entryOf(config, field, '')}
          options={[
            ['', t.choose],
            ...choices.map(
              ({ id, name, ends_at: ends }) => [id, ends === null ? name : t.ends(name, ends)] as const,
            ),
          ]}
        />
      ))}
    </div>
  );
}
