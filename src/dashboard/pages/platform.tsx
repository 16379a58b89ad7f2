import { useState } from 'preact/hooks';
import type { Platform } from '../api/answers.ts';
import { ApiError, ask } from '../api/request.ts';
import { Action, Confirm, tell } from '../parts/button.tsx';
import { Card, Empty, ErrorNote, Facts, PageHead, Read } from '../parts/layout.tsx';
import { Row, Rows } from '../parts/list.tsx';
import { State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import {
  askAdministrator,
  BotForm,
  connectBySignIn,
  InviteLink,
  Nextcloud,
  OwnerCode,
} from './platform/connecting.tsx';
import { Numbers, Trunk } from './platform/phone.tsx';
import { t } from './platforms.texts.ts';

/** Which ways of connecting each platform has. */
const BY_SIGN_IN: ReadonlySet<string> = new Set(['teams', 'meet', 'zoom', 'slack']);
const BY_BOT: ReadonlySet<string> = new Set(['discord', 'telegram', 'slack']);
const BY_LINK: ReadonlySet<string> = new Set(['whatsapp', 'telegram', 'discord']);
const WITHOUT_TEST: ReadonlySet<string> = new Set(['meet', 'zoom', 'sip']);

/** One platform: its logins, and everything that connects, tests or ends them. */
export function PlatformPage({ name }: { readonly name: string }) {
  return (
    <Read from="GET /api/platforms" on={['connection_']} everyMs={10_000}>
      {(data) => {
        const platform = data.platforms.find((each) => each.platform === name);
        return platform ? <Whole {...platform} /> : <Empty>{t.unknown}</Empty>;
      }}
    </Read>
  );
}

function Whole(platform: Platform) {
  const { platform: name, status, ways, accounts } = platform;
  return (
    <>
      <PageHead title={texts.platforms[name]} back="/platforms">
        <State of={status} />
      </PageHead>
      {name === 'sip' ? (
        <div class="columns">
          <Trunk />
          <Numbers />
        </div>
      ) : (
        <>
          <Card title={t.logins}>
            <Logins {...platform} />
            <div class="row">
              {BY_SIGN_IN.has(name) && (
                <Action class="primary" run={() => signIn(name)} name={t.connect(texts.platforms[name])} />
              )}
              {!WITHOUT_TEST.has(name) && accounts.length > 0 && <TestDm platform={name} />}
            </div>
          </Card>
          <div class="columns">
            {BY_BOT.has(name) && <BotForm platform={name} />}
            {name === 'nctalk' && <Nextcloud />}
            {BY_LINK.has(name) && <InviteLink platform={name} />}
            {BY_BOT.has(name) && accounts.length > 0 && <OwnerCode platform={name} />}
          </div>
        </>
      )}
      {ways.length > 0 && (
        <Card title={t.ways}>
          <Facts of={ways.map(({ name: way, needs }) => [way, needs] as const)} />
        </Card>
      )}
    </>
  );
}

/** With a connection, renews that one. */
function signIn(platform: string, renewed: object = {}): Promise<void> {
  return connectBySignIn(platform, { return_to: `/dashboard/platforms?connected=${platform}`, ...renewed });
}

function Logins({ platform, accounts, setup }: Platform) {
  const remove = (type: string, id: string) =>
    type === 'bot_token'
      ? ask('DELETE /api/bot-tokens/{bot_id}', { bot_id: id })
      : ask('DELETE /api/connections/{connection_id}', { connection_id: id });
  return (
    <Rows of={accounts} none={setup}>
      {({ type, id, label, status }) => (
        <Row key={id} title={label} note={texts.loginKinds[type]}>
          <State of={status} />
          {type === 'connection' && BY_SIGN_IN.has(platform) && status !== 'ok' && (
            <Action run={() => signIn(platform, { connection_id: id })} name={t.renew} />
          )}
          {platform === 'teams' && type === 'connection' && (
            <Action run={() => askAdministrator(id)} name={t.approve} />
          )}
          <Confirm
            action={type === 'connection' ? t.disconnect : texts.remove}
            question={t.disconnectQuestion(label)}
            run={() => remove(type, id)}
          />
        </Row>
      )}
    </Rows>
  );
}

/** Sends a test message to the person's own account of the platform; shows what the platform says to a failure. */
function TestDm({ platform }: { readonly platform: string }) {
  const [error, setError] = useState<ApiError>();
  const test = async (): Promise<void> => {
    try {
      setError(undefined);
      await ask('POST /api/platforms/{provider}/test-dm', { provider: platform });
      tell(t.testSent);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    }
  };
  return (
    <>
      <Action run={test} name={t.test} />
      {error && (
        <ErrorNote error={error}>
          <Action run={() => report(platform, error)} done={t.reported} name={t.wrong} />
        </ErrorNote>
      )}
    </>
  );
}

function report(provider: string, { message, suggestion }: ApiError): Promise<unknown> {
  const shown = { provider, error_detail: message, suggestion_shown: suggestion };
  return ask('POST /api/feedback', { message: t.wrong, surface: 'dashboard/platforms', ...shown });
}
