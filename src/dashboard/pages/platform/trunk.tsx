import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { tell } from '../../parts/toasts.tsx';
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
type Values = typeof EMPTY;

/** The trunk to a telephone provider, and whether it is registered. */
export function Trunk({ onChange }: { onChange(): void }) {
  const trunk = useAnswer('GET /api/sip/trunk', {}, { everyMs: 5_000 });
  const isMissing = trunk.error?.status === 404;
  const stored = isMissing ? undefined : trunk.data;
  const changed = (): void => {
    trunk.reload();
    onChange();
  };
  const remove = async (): Promise<void> => {
    await ask('DELETE /api/sip/trunk');
    changed();
  };
  return (
    <Card title={t.title}>
      {trunk.error && !isMissing && <ErrorNote error={trunk.error} />}
      {stored && <Registration {...stored} />}
      {(stored || isMissing) && <TrunkForm stored={stored} onDone={changed} />}
      {stored && <Confirm class="quietly" action={t.remove} question={t.removeQuestion} run={remove} />}
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

function TrunkForm({ stored, onDone }: { readonly stored: Stored | undefined; onDone(): void }) {
  const [values, setValues] = useState<Values>(EMPTY);
  const isStored = stored !== undefined;
  useEffect(() => {
    if (stored) setValues(valuesOf(stored));
    // What is being typed stays while the registration changes.
  }, [isStored]);
  const set = (change: Partial<Values>): void => setValues({ ...values, ...change });
  const submit = async (): Promise<void> => {
    const { port, password, realm, caller_id, ...same } = values;
    await ask('PUT /api/sip/trunk', {
      body: {
        ...same,
        port: Number(port),
        realm: realm || null,
        caller_id: caller_id || null,
        ...(password && { password }),
      },
    });
    set({ password: '' });
    tell(t.saved);
    onDone();
  };
  return (
    <Form submit={submit} action={isStored ? texts.save : t.connect}>
      <div class="grid">
        <Field
          label={t.host}
          value={values.host}
          onValue={(host) => set({ host })}
          required
          placeholder="sip.example.com"
          autocomplete="off"
        />
        <Field
          label={t.port}
          type="number"
          min={1}
          max={65_535}
          value={values.port}
          onValue={(port) => set({ port })}
          required
        />
        <Field
          label={t.username}
          value={values.username}
          onValue={(username) => set({ username })}
          required
          autocomplete="off"
        />
        <Field
          label={t.password}
          hint={isStored ? texts.keepSecret : undefined}
          type="password"
          value={values.password}
          onValue={(password) => set({ password })}
          required={!isStored}
          autocomplete="new-password"
        />
        <Field
          label={t.callerId}
          hint={t.callerIdHint}
          value={values.caller_id}
          onValue={(caller_id) => set({ caller_id })}
        />
        <Choice
          label={t.transport}
          value={values.transport}
          onValue={(transport) => set({ transport })}
          options={t.transports}
        />
      </div>
      <details>
        <summary>{texts.advanced}</summary>
        <Field label={t.realm} hint={t.realmHint} value={values.realm} onValue={(realm) => set({ realm })} />
        <Choice label={t.srtp} value={values.srtp} onValue={(srtp) => set({ srtp })} options={t.srtps} />
        <Check
          label={t.register}
          hint={t.registerHint}
          checked={values.register}
          onChecked={(register) => set({ register })}
        />
        <Check
          label={t.behindNat}
          checked={values.behind_nat}
          onChecked={(behind_nat) => set({ behind_nat })}
        />
      </details>
    </Form>
  );
}

function valuesOf({
  host,
  port,
  transport,
  username,
  realm,
  caller_id,
  register,
  srtp,
  behind_nat,
}: Stored): Values {
  const texts = { realm: realm ?? '', caller_id: caller_id ?? '', password: '' };
  return { host, port: `${port}`, transport, username, register, srtp, behind_nat, ...texts };
}
