import { useState } from 'preact/hooks';
import { ask, BASE_PATH, download, signedOut } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, Dialog, tell } from '../parts/action.tsx';
import { fill, useDraft, valuesOf } from '../parts/draft.ts';
import { Field, Form, PasswordField } from '../parts/form.tsx';
import { Card, LoadedRows, PageHead, Row } from '../parts/layout.tsx';
import { Moment } from '../parts/moment.tsx';
import { account } from '../shell/account.ts';
import { texts } from '../texts.ts';
import { AuditLog } from './account/audit-log.tsx';
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
        <AuditLog />
      </div>
    </>
  );
}

function Address() {
  const draft = useDraft({ new_email: '', password: '' });
  const { email: known = null, email_verified: isVerified } = account.value ?? {};
  const submit = async (): Promise<void> => {
    await ask('POST /api/change-email', { body: valuesOf(draft) });
    tell(t.mailed);
    fill(draft, { new_email: '', password: '' });
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
        <Field label={t.newAddress} type="email" of={draft.new_email} required autocomplete="email" />
        <PasswordField label={t.currentPassword} of={draft.password} />
      </Form>
    </Card>
  );
}

function Password() {
  const draft = useDraft({ current_password: '', new_password: '' });
  const submit = async (): Promise<void> => {
    await ask('POST /api/change-password', { body: valuesOf(draft) });
    tell(t.passwordChanged);
    fill(draft, { current_password: '', new_password: '' });
  };
  return (
    <Card title={texts.signIn.password}>
      <Form submit={submit} action={t.changePassword}>
        <PasswordField label={t.currentPassword} of={draft.current_password} />
        <PasswordField label={t.newPassword} isNew of={draft.new_password} />
      </Form>
    </Card>
  );
}

function Identities() {
  const identities = useAnswer('GET /auth/identities');
  const options = useAnswer('GET /auth/options');
  const providers = options.data?.providers ?? [];
  if (providers.length === 0 && (identities.data?.identities.length ?? 0) === 0) return null;
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
            <Action
              class="quietly"
              run={() => ask('DELETE /auth/identities/{identity_id}', { params: { identity_id: id } })}
            >
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
  const [readBytes, setReadBytes] = useState<number | null>(null);
  const save = async (): Promise<void> => {
    await download('/api/export', 'account-export.json', setReadBytes);
    setReadBytes(null);
  };
  return (
    <Card title={t.data} hint={t.dataHint}>
      <div class="row">
        <Action run={save}>{readBytes === null ? t.export : t.exported(texts.bytes(readBytes))}</Action>
        <button type="button" class="danger" onClick={() => setLeaving(true)}>
          {t.delete}
        </button>
      </div>
      {isLeaving && <DeleteAccount onClose={() => setLeaving(false)} />}
    </Card>
  );
}

function DeleteAccount({ onClose }: { onClose(): void }) {
  const draft = useDraft({ password: '', confirm: '' });
  const submit = async (): Promise<void> => {
    const { confirm, password } = valuesOf(draft);
    await ask('DELETE /api/account', { body: { confirm, ...(password && { password }) } });
    signedOut.value += 1;
  };
  return (
    <Dialog title={t.delete} onClose={onClose}>
      <p>{t.deleteHint}</p>
      <Form submit={submit} action={t.delete} isDanger onCancel={onClose}>
        <PasswordField label={t.currentPassword} of={draft.password} required={false} />
        <Field label={t.confirmWord} of={draft.confirm} required pattern="DELETE" autocomplete="off" />
      </Form>
    </Dialog>
  );
}
