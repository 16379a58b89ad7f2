import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { bodyOf, type Draft, entryOf, type Fields, fieldOf, useDraft } from '../../parts/draft.ts';
import { Form, Input, Inputs } from '../../parts/form.tsx';
import { Loaded } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { TestAgent } from './deliveries.tsx';
import { t } from './provider.texts.ts';

type Catalog = Answers['GET /api/agents/providers'];
type Stored = Answers['GET /api/agents/{agent_id}/provider'];
type Found = Answers['POST /api/agents/{agent_id}/provider/browse'];

/** The model that answers for an agent. */
export function ProviderForm({ agentId }: { readonly agentId: string }) {
  const catalog = useAnswer('GET /api/agents/providers');
  const stored = useAnswer('GET /api/agents/{agent_id}/provider', { params: { agent_id: agentId } });
  return (
    <Loaded answer={catalog}>
      {(known) => (
        <Loaded answer={stored}>
          {(provider) => (
            <Choosing key={`${provider.provider} ${provider.updated_at}`} catalog={known} stored={provider} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface EditorProps {
  readonly catalog: Catalog;
  readonly stored: Stored;
}

function Choosing({ catalog, stored }: EditorProps) {
  const chosen = useSignal<string | boolean>(stored.provider ?? '');
  const offered = catalog.providers.map((each) => [each.name, each.title] as const);
  return (
    <div class="columns">
      <section class="card">
        <Input {...t.provider} of={chosen} options={[['', t.none], ...offered]} />
        <Editor key={chosen.value} catalog={catalog} stored={stored} name={`${chosen.value}`} />
      </section>
      {stored.provider !== null && <TestAgent agentId={stored.agent_id} />}
    </div>
  );
}

function Editor({ catalog, stored, name }: EditorProps & { readonly name: string }) {
  const provider = catalog.providers.find((each) => each.name === name);
  const secrets = name === stored.provider ? stored.secrets_set : [];
  const settings = Object.entries(provider?.schema.properties ?? {}).map(([field, property]) => {
    const description = secrets.includes(field) ? texts.keepSecret : property.description;
    return [field, fieldOf({ ...property, description }, t.usual)] as const;
  });
  const fields: Fields = Object.fromEntries(settings);
  const config = useDraft(fields, name === stored.provider ? stored.config : {});
  const filter = useSignal(stored.event_filter);
  const texting = t.words(catalog.default_system_prompt);
  const words = useDraft(texting, stored);
  const submit = () => {
    const given = { config: bodyOf(fields, config, false), ...bodyOf(texting, words, false) };
    const body = provider ? { provider: name, event_filter: filter.value, ...given } : { provider: null };
    return ask('PATCH /api/agents/{agent_id}/provider', { params: { agent_id: stored.agent_id }, body });
  };
  return (
    <Form submit={submit} action={texts.save} done={texts.saved}>
      {provider && (
        <>
          <Inputs of={fields} draft={config} />
          <Browse agentId={stored.agent_id} provider={name} fields={fields} config={config} />
          <Inputs of={texting} draft={words} />
          <fieldset>
            <legend>{t.events}</legend>
            {catalog.event_types.map((type) => {
              const label = t.eventTypes[type] ?? type;
              return <Input key={type} label={label} type="check" of={entryOf(filter, type, false)} />;
            })}
          </fieldset>
        </>
      )}
    </Form>
  );
}

interface BrowseProps {
  readonly agentId: string;
  readonly provider: string;
  readonly fields: Fields;
  readonly config: Draft;
}

/** Asks the provider with this key what it offers. */
function Browse({ agentId, provider, fields, config }: BrowseProps) {
  const [found, setFound] = useState<Found>();
  const browse = async (): Promise<void> => {
    const body = { provider, config: bodyOf(fields, config, false) };
    const params = { agent_id: agentId };
    setFound(await ask('POST /api/agents/{agent_id}/provider/browse', { params, body }));
  };
  const choices = { model: found?.models ?? [], agent_id: found?.agents ?? [] };
  const offered = (['model', 'agent_id'] as const).filter(
    (field) => choices[field].length > 0 && fields[field],
  );
  return (
    <div class="field">
      <Action run={browse}>{t.browse}</Action>
      {found?.notice && <p class="hint">{found.notice}</p>}
      {offered.map((field) => {
        const names = choices[field].map(
          ({ id, name, ends_at: ends }) => [id, ends === null ? name : t.ends(name, ends)] as const,
        );
        const of = entryOf(config, field, '');
        const options = [['', t.choose] as const, ...names];
        return <Input key={field} label={t.offers[field]} type="choice" of={of} options={options} />;
      })}
    </div>
  );
}
