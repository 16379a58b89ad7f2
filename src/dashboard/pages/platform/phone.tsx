import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { attempt, Confirm } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copy.tsx';
import type { Body, Fields } from '../../parts/field.ts';
import { Form, Input } from '../../parts/form.tsx';
import { Card, ErrorNote } from '../../parts/layout.tsx';
import { List, Row } from '../../parts/list.tsx';
import { State, stateName } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';
import { t } from './phone.texts.ts';

type Stored = Answers['GET /api/sip/trunk'];

const USUAL = { port: 5060, transport: 'udp', srtp: 'off', register: true, behind_nat: false };

/** The trunk to a telephone provider, and whether it is registered. */
export function Trunk() {
  const trunk = useAnswer('GET /api/sip/trunk', {}, { everyMs: 5_000 });
  const isMissing = trunk.error?.status === 404;
  const stored = isMissing ? undefined : trunk.data;
  const remove = () => ask('DELETE /api/sip/trunk');
  return (
    <Card title={t.trunk.title}>
      {trunk.error && !isMissing && <ErrorNote error={trunk.error} />}
      {stored && <Registration {...stored} />}
      {(stored || isMissing) && <TrunkForm key={`${isMissing}`} stored={stored} />}
      {stored && <Confirm action={t.trunk.remove} question={t.trunk.removeQuestion} run={remove} />}
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
  const known: Partial<Stored> = stored ?? (USUAL as Partial<Stored>);
  const { registration: _registration, inbound_uri: _uri, ...settings } = known;
  return (
    <Form
      fields={t.trunk.fields(stored !== undefined)}
      advanced={t.trunk.advanced}
      stored={settings}
      submit={(body) => ask('PUT /api/sip/trunk', { ...settings, ...body })}
      action={stored ? texts.save : t.trunk.connect}
      done={t.trunk.saved}
      isGrid
    />
  );
}

type Did = Answers['GET /api/sip/dids']['dids'][number];

/** The phone numbers that ring agents. */
export function Numbers() {
  const presets = useAnswer('GET /api/voice-configs').data?.voice_configs ?? [];
  const add = (body: Body) => ask('POST /api/sip/dids', body);
  return (
    <Card title={t.numbers.title}>
      <List from="GET /api/sip/dids" of={({ dids }) => dids} by="did_id">
        {(did) => <PhoneNumber did={did} presets={presets} />}
      </List>
      <h3>{t.numbers.add}</h3>
      <Form fields={t.numbers.fields} submit={add} action={t.numbers.add} isGrid />
    </Card>
  );
}

function PhoneNumber({ did, presets }: { readonly did: Did; readonly presets: readonly Preset[] }) {
  const { did_id } = did;
  const presetOf = (kind: Preset['kind']) => {
    const named = presets.filter((each) => each.kind === kind).map(({ id, name }) => [id, name]);
    return {
      label: texts.speechKinds[kind],
      options: { '': t.numbers.enabledPreset, ...Object.fromEntries(named) },
    };
  };
  const fields: Fields = {
    stt_voice_config_id: presetOf('stt'),
    tts_voice_config_id: presetOf('tts'),
    auto_answer: { label: t.numbers.fields.auto_answer.label, type: 'check' },
  };
  const change = (name: string, value: string): void => {
    const changed = { [name]: fields[name]?.type === 'check' ? value !== '' : value || null };
    void attempt(() => ask('PATCH /api/sip/dids/{did_id}', { did_id, ...changed }), texts.saved);
  };
  const remove = () => ask('DELETE /api/sip/dids/{did_id}', { did_id });
  const below = (
    <div class="grid">
      {Object.entries(fields).map(([name, field]) => {
        const onValue = (value: string): void => change(name, value);
        return <Input key={name} {...field} value={did[name as keyof Did]} onValue={onValue} />;
      })}
    </div>
  );
  return (
    <Row title={did.number} note={did.label ?? undefined} below={below}>
      <Confirm question={t.numbers.removeQuestion(did.number)} run={remove} />
    </Row>
  );
}
