import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { attempt } from '../../parts/action.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import type { Body, Fields } from '../../parts/field.ts';
import { Form, Input } from '../../parts/form.tsx';
import { Card, ErrorNote } from '../../parts/layout.tsx';
import { List } from '../../parts/list.tsx';
import { State, stateName } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from './phone.texts.ts';

type Stored = Answers['GET /api/sip/trunk'];

const USUAL = { port: 5060, transport: 'udp', srtp: 'off', register: true, behind_nat: false };

/** The trunk to a telephone provider, and whether it is registered. */
export function Trunk() {
  const trunk = useAnswer('GET /api/sip/trunk', { everyMs: 5_000 });
  const isMissing = trunk.error?.status === 404;
  const stored = isMissing ? undefined : trunk.data;
  return (
    <Card title={t.trunk.title}>
      {trunk.error && !isMissing && <ErrorNote error={trunk.error} />}
      {stored && <Registration {...stored} />}
      {(stored || isMissing) && <TrunkForm key={`${isMissing}`} stored={stored} />}
      {stored && (
        <Confirm
          class="quietly"
          action={t.trunk.remove}
          question={t.trunk.removeQuestion}
          run={() => ask('DELETE /api/sip/trunk')}
        />
      )}
    </Card>
  );
}

function Registration({ registration, inbound_uri: uri }: Stored) {
  const { state, last_error: error } = registration;
  return (
    <>
      <p class="row">
        <State of={state} kind="trunk" />
        {error !== null && <span class="small">{stateName(error)}</span>}
      </p>
      {uri !== null && (
        <details>
          <summary>{t.trunk.inbound}</summary>
          <p class="quiet small">{t.trunk.inboundHint}</p>
          <Copyable text={uri} label={t.trunk.inbound} />
        </details>
      )}
    </>
  );
}

/** Sends all that can be set, also what the form does not show: saving must not reset it. */
function TrunkForm({ stored }: { readonly stored: Stored | undefined }) {
  const {
    registration: _registration,
    inbound_uri: _uri,
    ...settings
  } = stored ?? (USUAL as Partial<Stored>);
  const submit = (body: Body) => ask('PUT /api/sip/trunk', { body: { ...settings, ...body } });
  return (
    <Form
      fields={t.trunk.fields(stored !== undefined)}
      stored={settings}
      submit={submit}
      action={stored ? texts.save : t.trunk.connect}
      done={t.trunk.saved}
      isGrid
    />
  );
}

type Did = Answers['GET /api/sip/dids']['dids'][number];

/** The phone numbers that ring agents. */
export function Numbers() {
  const presets = useAnswer('GET /api/voice-configs');
  return (
    <Card title={t.numbers.title}>
      <List from="GET /api/sip/dids" of={({ dids }) => dids} by="did_id">
        {(did) => <PhoneNumber did={did} presets={presets.data?.voice_configs ?? []} />}
      </List>
      <h3>{t.numbers.add}</h3>
      <Form
        fields={t.numbers.fields}
        submit={(body) => ask('POST /api/sip/dids', { body })}
        action={t.numbers.add}
        isGrid
      />
    </Card>
  );
}

function PhoneNumber({ did, presets }: { readonly did: Did; readonly presets: readonly Preset[] }) {
  const params = { did_id: did.did_id };
  const optionsOf = (kind: string) => [
    ['', t.numbers.enabledPreset] as const,
    ...presets.filter((each) => each.kind === kind).map(({ id, name }) => [id, name] as const),
  ];
  const { stt, tts } = texts.speechKinds;
  const fields: Fields = {
    auto_answer: { label: t.numbers.fields.auto_answer.label, type: 'check' },
    stt_voice_config_id: { label: stt, type: 'choice', options: optionsOf('stt') },
    tts_voice_config_id: { label: tts, type: 'choice', options: optionsOf('tts') },
  };
  const change = (name: string, value: string): void => {
    const body = { [name]: fields[name]?.type === 'check' ? value !== '' : value || null };
    void attempt(() => ask('PATCH /api/sip/dids/{did_id}', { params, body }), texts.saved);
  };
  const remove = () => ask('DELETE /api/sip/dids/{did_id}', { params });
  return (
    <li>
      <div class="row spread">
        <span class="grow">
          <strong class="digits">{did.number}</strong> <span class="quiet small">{did.label}</span>
        </span>
        <Confirm
          class="quietly"
          action={texts.remove}
          question={t.numbers.removeQuestion(did.number)}
          run={remove}
        />
      </div>
      <div class="grid">
        {Object.entries(fields).map(([name, field]) => (
          <Input
            key={name}
            {...field}
            value={did[name as keyof Did]}
            onValue={(value) => change(name, value)}
          />
        ))}
      </div>
    </li>
  );
}
