import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/button.tsx';
import { type Body, bodyOf, type Fields, fieldOf, fillIn } from '../../parts/field.ts';
import { Form, Input, Inputs } from '../../parts/form.tsx';
import { Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../agents.texts.ts';
import { TestAgent } from './deliveries.tsx';

type Found = Answers['POST /api/agents/{agent_id}/provider/browse'];

/** The model that answers for an agent. */
export function ProviderForm({ agentId: agent_id }: { readonly agentId: string }) {
  return (
    <Read from="GET /api/agents/providers">
      {(catalog) => (
        <Read from="GET /api/agents/{agent_id}/provider" with={{ agent_id }}>
          {(stored) => (
            <Choosing key={`${stored.provider} ${stored.updated_at}`} catalog={catalog} stored={stored} />
          )}
        </Read>
      )}
    </Read>
  );
}

interface EditorProps {
  readonly catalog: Answers['GET /api/agents/providers'];
  readonly stored: Answers['GET /api/agents/{agent_id}/provider'];
}

function Choosing({ catalog, stored }: EditorProps) {
  const [chosen, choose] = useState<string>(stored.provider ?? '');
  const offered = Object.fromEntries(catalog.providers.map(({ name, title }) => [name, title]));
  return (
    <div class="columns">
      <section class="card">
        <Input {...t.provider} value={chosen} onValue={choose} options={{ '': t.none, ...offered }} />
        <Editor key={chosen} catalog={catalog} stored={stored} name={chosen} />
      </section>
      {stored.provider !== null && <TestAgent agentId={stored.agent_id} />}
    </div>
  );
}

function Editor({ catalog, stored, name }: EditorProps & { readonly name: string }) {
  const { agent_id } = stored;
  const provider = catalog.providers.find((each) => each.name === name);
  const isSame = name === stored.provider;
  const settings = Object.entries(provider?.schema.properties ?? {}).map(([field, property]) => {
    const isSet = isSame && stored.secrets_set.includes(field);
    const description = isSet ? texts.keepSecret : property.description;
    return [field, fieldOf({ ...property, description }, t.usual)] as const;
  });
  const fields: Fields = Object.fromEntries(settings);
  const words = t.words(catalog.default_system_prompt);
  const events: Fields = Object.fromEntries(
    catalog.event_types.map((type) => [type, { label: t.eventTypes[type] ?? type, type: 'check' }]),
  );
  const submit = (config: Body, form: HTMLFormElement) => {
    const event_filter = provider && bodyOf(form, events, stored.event_filter, false);
    const said = provider && bodyOf(form, words, {}, false);
    const body = provider ? { provider: name, event_filter, config, ...said } : { provider: null };
    return ask('PATCH /api/agents/{agent_id}/provider', { agent_id, ...body });
  };
  const config = isSame ? stored.config : {};
  return (
    <Form fields={fields} stored={config} submit={submit} action={texts.save} done={texts.saved}>
      {provider && (
        <>
          <Browse agentId={agent_id} provider={name} fields={fields} />
          <Inputs of={words} values={{ ...stored }} />
          <fieldset>
            <legend>{t.events}</legend>
            <Inputs of={events} values={stored.event_filter} />
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
}

/** Asks the provider with the key in the form what it offers. */
function Browse({ agentId: agent_id, provider, fields }: BrowseProps) {
  const [found, setFound] = useState<Found>();
  const browse = async (form: HTMLFormElement): Promise<void> => {
    const config = bodyOf(form, fields, {}, false);
    setFound(await ask('POST /api/agents/{agent_id}/provider/browse', { agent_id, provider, config }));
  };
  const choices = { model: found?.models ?? [], agent_id: found?.agents ?? [] };
  const offered = (['model', 'agent_id'] as const).filter((field) => choices[field].length && fields[field]);
  return (
    <div class="field">
      <Action run={browse} name={t.browse} />
      {found?.notice && <p class="hint">{found.notice}</p>}
      {offered.map((field) => {
        const names = choices[field].map(({ id, name, ends_at: ends }) => [id, t.ends(name, ends)]);
        const options = { '': t.choose, ...Object.fromEntries(names) };
        const choose = (id: string, form: HTMLFormElement): void => fillIn(form, field, id);
        return <Input key={field} label={t.offers[field]} onValue={choose} options={options} />;
      })}
    </div>
  );
}
