import type { Platform } from '../api/items.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action } from '../parts/action.tsx';
import { StatusBadge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { texts } from '../texts.ts';
import { BotForm } from './platform/bot-form.tsx';
import { InviteLink } from './platform/invite-link.tsx';
import { Nextcloud } from './platform/nextcloud.tsx';
import { Numbers } from './platform/numbers.tsx';
import { askAdministrator, connectBySignIn } from './platform/oauth.ts';
import { OwnerCode } from './platform/owner-code.tsx';
import { TestDm } from './platform/test-dm.tsx';
import { Trunk } from './platform/trunk.tsx';

const t = texts.platformPages;

/** Which ways of connecting each platform has. */
const BY_SIGN_IN: ReadonlySet<string> = new Set(['teams', 'meet', 'zoom', 'slack']);
const BY_BOT: ReadonlySet<string> = new Set(['discord', 'telegram', 'slack']);
const BY_LINK: ReadonlySet<string> = new Set(['whatsapp', 'telegram', 'discord']);
const WITH_TEST: ReadonlySet<string> = new Set([
  'discord',
  'telegram',
  'slack',
  'whatsapp',
  'teams',
  'nctalk',
]);

/** One platform: its logins, and everything that connects, tests or ends them. */
export function PlatformPage({ name }: { readonly name: string }) {
  const platforms = useAnswer('GET /api/platforms', {}, { on: ['connection_'], everyMs: 10_000 });
  return (
    <Loaded answer={platforms}>
      {(data) => {
        const platform = data.platforms.find((each) => each.platform === name);
        return platform ? <Whole {...platform} reload={platforms.reload} /> : <Empty>{t.unknown}</Empty>;
      }}
    </Loaded>
  );
}

function Whole(platform: Platform & { reload(): void }) {
  const { platform: name, status, ways, accounts, reload } = platform;
  return (
    <>
      <PageHead title={texts.platforms[name]} back="/platforms">
        <StatusBadge status={status} />
      </PageHead>
      {name === 'sip' ? (
        <div class="columns">
          <Trunk onChange={reload} />
          <Numbers onChange={reload} />
        </div>
      ) : (
        <>
          <Card title={t.logins}>
            <Logins {...platform} />
            <div class="row">
              {BY_SIGN_IN.has(name) && (
                <Action class="primary" run={() => connectBySignIn(name)}>
                  {t.connect(texts.platforms[name])}
                </Action>
              )}
              {WITH_TEST.has(name) && accounts.length > 0 && <TestDm platform={name} />}
            </div>
          </Card>
          <div class="columns">
            {BY_BOT.has(name) && <BotForm platform={name} onDone={reload} />}
            {name === 'nctalk' && <Nextcloud onDone={reload} />}
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

function Logins({ platform, accounts, setup, reload }: Platform & { reload(): void }) {
  const remove = async (type: string, id: string): Promise<void> => {
    if (type === 'bot_token') await ask('DELETE /api/bot-tokens/{bot_id}', { params: { bot_id: id } });
    else await ask('DELETE /api/connections/{connection_id}', { params: { connection_id: id } });
    reload();
  };
  return (
    <Rows of={accounts} none={setup}>
      {({ type, id, label, status }) => (
        <Row key={id} title={label} note={t.kinds[type]}>
          <StatusBadge status={status} />
          {type === 'connection' && BY_SIGN_IN.has(platform) && status !== 'ok' && (
            <Action run={() => connectBySignIn(platform, id)}>{t.renew}</Action>
          )}
          {platform === 'teams' && type === 'connection' && (
            <Action run={() => askAdministrator(id)}>{t.approve}</Action>
          )}
          <Confirm
            class="quietly"
            action={type === 'connection' ? t.disconnect : texts.remove}
            question={t.disconnectQuestion(label)}
            run={() => remove(type, id)}
          />
        </Row>
      )}
    </Rows>
  );
}
