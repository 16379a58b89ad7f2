import { useEffect } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Confirm, tell } from '../../parts/action.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { fill, useDraft, valuesOf } from '../../parts/draft.ts';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { Card, ErrorNote } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

type Stored = Answers['GET /api/sip/trunk'];

const t = texts.trunk;

const EMPTY = {
  host: '',
  port: '5060',
  transport: 'udp',
  username: '',
  password: '',
  realm: '',
  caller_id: '',
  register: true,
  srtp: 'off',
  behind_nat: false,
};

/** The trunk to a telephone provider, and whether it is registered. */
export function Trunk() {
  const trunk = useAnswer('GET /api/sip/trunk', {}, { everyMs: 5_000 });
  const isMissing = trunk.error?.status === 404;
  const stored = isMissing ? undefined : trunk.data;
  return (
    <Card title={t.title}>
      {trunk.error && !isMissing && <ErrorNote error={trunk.error} />}
      {stored && <Registration {...stored} />}
      {(stored || isMissing) && <TrunkForm stored={stored} />}
      {stored && (
        <Confirm
          class="quietly"
          action={t.remove}
          question={t.removeQuestion}
          run={() => ask('DELETE /api/sip/trunk')}
        />
      )}
    </Card>
  );
}

const TONES: Readonly<Record<string, Tone>> = { registered: 'good', registering: 'warn', failed: 'bad' };

function Registration({ registration, inbound_uri: uri }: Stored) {
  const { state, last_error: error } = registration;
  return (
    <>
      <p class="row">
        <Badge tone={TONES[state] ?? 'plain'}>{t.states[state]}</Badge>
        {error !== null && <span class="small">{t.errors[error] ?? error}</span>}
      </p>
      {uri !== null && (
        <details>
          <summary>{t.inbound}</summary>
          <p class="quiet small">{t.inboundHint}</p>
          <Copyable text={uri} label={t.inbound} />
        </details>
      )}
    </>
  );
}

function TrunkForm({ stored }: { readonly stored: Stored | undefined }) {
  const draft = useDraft(EMPTY);
  const isStored = stored !== undefined;
  useEffect(() => {
    if (stored) fill(draft, draftOf(stored));
    // What is being typed stays while the registration changes.
  }, [isStored]);
  const submit = async (): Promise<void> => {
    const { port, password, realm, caller_id, ...same } = valuesOf(draft);
    const optional = { realm: realm || null, caller_id: caller_id || null, ...(password && { password }) };
    const shown = { ...same, ...optional, port: Number(port) };
    await ask('PUT /api/sip/trunk', { body: { ...(stored && settingsOf(stored)), ...shown } });
    fill(draft, { password: '' });
    tell(t.saved);
  };
  return (
    <Form submit={submit} action={isStored ? texts.save : t.connect}>
      <div class="grid">
        <Field label={t.host} of={draft.host} required placeholder="sip.example.com" autocomplete="off" />
        <Field label={t.port} type="number" min={1} max={65_535} of={draft.port} required />
        <Field label={t.username} of={draft.username} required autocomplete="off" />
        <Field
          label={t.password}
          hint={isStored ? texts.keepSecret : undefined}
          type="password"
          of={draft.password}
          required={!isStored}
          autocomplete="new-password"
        />
        <Field label={t.callerId} hint={t.callerIdHint} of={draft.caller_id} />
        <Choice label={t.transport} of={draft.transport} options={t.transports} />
      </div>
      <details>
        <summary>{texts.advanced}</summary>
        <Field label={t.realm} hint={t.realmHint} of={draft.realm} />
        <Choice label={t.srtp} of={draft.srtp} options={t.srtps} />
        <Check label={t.register} hint={t.registerHint} of={draft.register} />
        <Check label={t.behindNat} of={draft.behind_nat} />
      </details>
    </Form>
  );
}

/** All that can be set, also what the form does not show: saving must not reset it. */
function settingsOf({ registration: _registration, inbound_uri: _uri, ...settings }: Stored) {
  return settings;
}

function draftOf({
  host,
  port,
  transport,
  username,
  realm,
  caller_id,
  register,
  srtp,
  behind_nat,
}: Stored): typeof EMPTY {
  const typed = { port: `${port}`, realm: realm ?? '', caller_id: caller_id ?? '', password: '' };
  return { host, transport, username, register, srtp, behind_nat, ...typed };
}
