import { useState } from 'preact/hooks';
import { ask, BASE_PATH, signedOut } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Moment } from '../parts/moment.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { account } from '../shell/account.ts';
import { texts } from '../texts.ts';
import { UsageCard } from './account/usage.tsx';

const t = texts.account;

export function AccountPage() {
  return (
    <>
      <PageHead title={texts.nav.account} />
      <div class="columns">
        <UsageCard />
        <Address />
        <Password />
        <Identities />
        <Leaving />
      </div>
    </>
  );
}

function Address() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const shown = account.value;
  const submit = async (): Promise<void> => {
    await ask('POST /api/change-email', { body: { new_email: email, password } });
    tell(t.mailed);
    setEmail('');
    setPassword('');
  };
  return (
    <section class="card">
      <h2>{t.address}</h2>
      <p>{shown?.email ?? t.noAddress}</p>
      {shown?.email !== null && shown?.email_verified === false && (
        <div class="banner warn row spread">
          <span>{t.unverified}</span>
          <Action run={() => ask('POST /auth/resend-verification')} done={t.mailed}>
            {t.resend}
          </Action>
        </div>
      )}
      <Form submit={submit} action={t.changeAddress}>
        <Field
          label={t.newAddress}
          type="email"
          value={email}
          onValue={setEmail}
          required
          autocomplete="email"
        />
        <Field
          label={t.currentPassword}
          type="password"
          value={password}
          onValue={setPassword}
          required
          autocomplete="current-password"
        />
      </Form>
    </section>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const submit = async (): Promise<void> => {
    await ask('POST /api/change-password', { body: { current_password: current, new_password: wanted } });
    tell(t.passwordChanged);
    setCurrent('');
    setWanted('');
  };
  return (
    <section class="card">
      <h2>{texts.signIn.password}</h2>
      <Form submit={submit} action={t.changePassword}>
        <Field
          label={t.currentPassword}
          type="password"
          value={current}
          onValue={setCurrent}
          required
          autocomplete="current-password"
        />
        <Field
          label={t.newPassword}
          hint={texts.signIn.passwordHint}
          type="password"
          value={wanted}
          onValue={setWanted}
          required
          minLength={8}
          maxLength={128}
          autocomplete="new-password"
        />
      </Form>
    </section>
  );
}

function Identities() {
  const identities = useAnswer('GET /auth/identities');
  const options = useAnswer('GET /auth/options');
  const providers = options.data?.providers ?? [];
  if (providers.length === 0 && (identities.data?.identities.length ?? 0) === 0) return null;
  const unlink = async (identity_id: string): Promise<void> => {
    await ask('DELETE /auth/identities/{identity_id}', { params: { identity_id } });
    identities.reload();
  };
  return (
    <section class="card">
      <h2>{t.identities}</h2>
      <Loaded answer={identities}>
        {(data) =>
          data.identities.length === 0 ? (
            <Empty>{t.noIdentities}</Empty>
          ) : (
            <ul class="rows">
              {data.identities.map(({ id, provider, email, last_used_at: at }) => (
                <li key={id} class="row-card">
                  <span class="grow">
                    <strong class="cut">{provider}</strong>
                    <span class="quiet small">
                      {email} · <Moment iso={at} />
                    </span>
                  </span>
                  <Action class="quietly" run={() => unlink(id)}>
                    {t.unlink}
                  </Action>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {providers.map((name) => (
        <a key={name} class="button" href={`${BASE_PATH}/auth/oauth/${encodeURIComponent(name)}/start`}>
          {t.link(name)}
        </a>
      ))}
    </section>
  );
}

/** All data, and the end of the account. */
function Leaving() {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section class="card">
      <h2>{t.data}</h2>
      <p class="quiet small">{t.dataHint}</p>
      <div class="row">
        <a class="button" href={`${BASE_PATH}/api/export`} download="account-export.json">
          {t.export}
        </a>
        <button type="button" class="danger" onClick={() => setLeaving(true)}>
          {t.delete}
        </button>
      </div>
      {isLeaving && <DeleteAccount onClose={() => setLeaving(false)} />}
    </section>
  );
}

function DeleteAccount({ onClose }: { onClose(): void }) {
  const [password, setPassword] = useState('');
  const [word, setWord] = useState('');
  const submit = async (): Promise<void> => {
    await ask('DELETE /api/account', { body: { confirm: word, ...(password && { password }) } });
    await attempt(async () => {
      signedOut.value += 1;
    });
  };
  return (
    <Dialog title={t.delete} onClose={onClose}>
      <p>{t.deleteHint}</p>
      <Form submit={submit} action={t.delete} isDanger onCancel={onClose}>
        <Field
          label={t.currentPassword}
          type="password"
          value={password}
          onValue={setPassword}
          autocomplete="current-password"
        />
        <Field
          label={t.confirmWord}
          value={word}
          onValue={setWord}
          required
          pattern="DELETE"
          autocomplete="off"
        />
      </Form>
    </Dialog>
  );
}
