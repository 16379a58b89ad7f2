import { ask, BASE_PATH, signedOut } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, DialogButton } from '../parts/button.tsx';
import type { Body } from '../parts/field.ts';
import { Form } from '../parts/form.tsx';
import { Card, Loaded, PageHead } from '../parts/layout.tsx';
import { List, Row, Rows } from '../parts/list.tsx';
import { Moment } from '../parts/value.tsx';
import { account } from '../shell/account.ts';
import { SignInLinks } from '../shell/sign-in.tsx';
import { texts } from '../texts.ts';
import { UsageCard } from './account/usage.tsx';
import { t } from './account.texts.ts';

export function AccountPage() {
  const change = (body: Body) => ask('POST /api/change-password', body);
  return (
    <>
      <PageHead title={texts.pages.account} />
      <div class="columns">
        <UsageCard />
        <Address />
        <Card title={t.password}>
          <Form
            fields={t.passwordFields}
            submit={change}
            action={t.changePassword}
            done={t.passwordChanged}
          />
        </Card>
        <Identities />
        <Leaving />
        <AuditLog />
      </div>
    </>
  );
}

function Address() {
  const { email: known = null, email_verified: isVerified } = account.value ?? {};
  const change = (body: Body) => ask('POST /api/change-email', body);
  return (
    <Card title={t.address}>
      <p>{known ?? t.noAddress}</p>
      {known !== null && !isVerified && (
        <div class="banner warn row spread">
          <span>{t.unverified}</span>
          <Action run={() => ask('POST /auth/resend-verification')} done={t.mailed} name={t.resend} />
        </div>
      )}
      <Form fields={t.addressFields} submit={change} action={t.changeAddress} done={t.mailed} />
    </Card>
  );
}

function Identities() {
  const identities = useAnswer('GET /auth/identities');
  const providers = useAnswer('GET /auth/options').data?.providers ?? [];
  if (providers.length === 0 && !identities.data?.identities.length) return null;
  const unlink = (identity_id: string) => ask('DELETE /auth/identities/{identity_id}', { identity_id });
  return (
    <Card title={t.identities}>
      <Loaded answer={identities}>
        {(data) => (
          <Rows of={data.identities}>
            {({ id, provider, email, last_used_at: at }) => (
              <Row key={id} title={provider} note={[`${email} · `, <Moment key={at} iso={at} />]}>
                <Action class="quietly" run={() => unlink(id)} name={t.unlink} />
              </Row>
            )}
          </Rows>
        )}
      </Loaded>
      <SignInLinks of={providers} nameOf={t.link} />
    </Card>
  );
}

/** All data, and the end of the account. */
function Leaving() {
  const remove = async (body: Body): Promise<void> => {
    await ask('DELETE /api/account', body);
    signedOut.value += 1;
  };
  return (
    <Card title={t.data} hint={t.dataHint}>
      <div class="row">
        <a class="button" href={`${BASE_PATH}/api/export`} download="account-export.json">
          {t.export}
        </a>
        <DialogButton title={t.delete} class="danger">
          {(close) => (
            <>
              <p>{t.deleteHint}</p>
              <Form fields={t.deleteFields} submit={remove} action={t.delete} isDanger onCancel={close} />
            </>
          )}
        </DialogButton>
      </div>
    </Card>
  );
}

/** Who has changed what. */
function AuditLog() {
  return (
    <Card title={t.audit} hint={t.auditHint} class="wide">
      <List
        from="GET /api/audit-log"
        with={{ limit: 20 }}
        of={({ lines }) => lines}
        by="id"
        next={({ next_before: before }) => (before === null ? null : { before })}
      >
        {({ action, subject, detail, by, created_at: at }) => (
          <Row
            title={action}
            note={[<Moment key={at} iso={at} />, ` · ${t.by[by] ?? by} ${subject ?? ''}`]}
            below={Object.keys(detail).length > 0 && <code>{JSON.stringify(detail)}</code>}
          />
        )}
      </List>
    </Card>
  );
}
