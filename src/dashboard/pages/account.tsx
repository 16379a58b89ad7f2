import { useState } from 'preact/hooks';
import { ask, BASE_PATH, signedOut } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action } from '../parts/action.tsx';
import { Card } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Moment } from '../parts/moment.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { LoadedRows, Row } from '../parts/rows.tsx';
import { tell } from '../parts/toasts.tsx';
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
  const { email: known = null, email_verified: isVerified } = account.value ?? {};
  const submit = async (): Promise<void> => {
    await ask('POST /api/change-email', { body: { new_email: email, password } });
    tell(t.mailed);
    setEmail('');
    setPassword('');
  };
  return (
    <Card title={t.address}>
      <p>{known ?? t.noAddress}</p>
      {known !== null && !isVerified && (
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
        <PasswordField label={t.currentPassword} value={password} onValue={setPassword} />
      </Form>
    </Card>
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
    <Card title={texts.signIn.password}>
      <Form submit={submit} action={t.changePassword}>
        <PasswordField label={t.currentPassword} value={current} onValue={setCurrent} />
        <PasswordField label={t.newPassword} isNew value={wanted} onValue={setWanted} />
      </Form>
    </Card>
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
    <Card title={t.identities}>
      <LoadedRows answer={identities} of={(data) => data.identities} none={t.noIdentities}>
        {({ id, provider, email, last_used_at: at }) => (
          <Row
            key={id}
            title={provider}
            note={
              <>
                {email} · <Moment iso={at} />
              </>
            }
          >
            <Action class="quietly" run={() => unlink(id)}>
              {t.unlink}
            </Action>
          </Row>
        )}
      </LoadedRows>
      {providers.map((name) => (
        <a key={name} class="button" href={`${BASE_PATH}/auth/oauth/${encodeURIComponent(name)}/start`}>
          {t.link(name)}
        </a>
      ))}
    </Card>
  );
}

/** All data, and the end of the account. */
function Leaving() {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Card title={t.data} hint={t.dataHint}>
      <div class="row">
        <a class="button" href={`${BASE_PATH}/api/export`} download="account-export.json">
          {t.export}
        </a>
        <button type="button" class="danger" onClick={() => setLeaving(true)}>
          {t.delete}
        </button>
      </div>
      {isLeaving && <DeleteAccount onClose={() => setLeaving(false)} />}
    </Card>
  );
}

function DeleteAccount({ onClose }: { onClose(): void }) {
  const [password, setPassword] = useState('');
  const [word, setWord] = useState('');
  const submit = async (): Promise<void> => {
    await ask('DELETE /api/account', { body: { confirm: word, ...(password && { password }) } });
    signedOut.value += 1;
  };
  return (
    <Dialog title={t.delete} onClose={onClose}>
      <p>{t.deleteHint}</p>
      <Form submit={submit} action={t.delete} isDanger onCancel={onClose}>
        <PasswordField label={t.currentPassword} value={password} onValue={setPassword} />
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
