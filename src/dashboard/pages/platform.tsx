import type { Platform } from '../api/items.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action } from '../parts/action.tsx';
import { StatusBadge } from '../parts/badge.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
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
  const { platform: name, status, setup, ways, accounts, reload } = platform;
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
          <section class="card">
            <h2>{t.logins}</h2>
            {accounts.length === 0 ? <Empty>{setup}</Empty> : <Logins {...platform} />}
            <div class="row">
              {BY_SIGN_IN.has(name) && (
                <Action class="primary" run={() => connectBySignIn(name)}>
                  {t.connect(texts.platforms[name])}
                </Action>
              )}
              {WITH_TEST.has(name) && accounts.length > 0 && <TestDm platform={name} />}
            </div>
          </section>
          <div class="columns">
            {BY_BOT.has(name) && <BotForm platform={name} onDone={reload} />}
            {name === 'nctalk' && <Nextcloud onDone={reload} />}
            {BY_LINK.has(name) && <InviteLink platform={name} />}
            {BY_BOT.has(name) && accounts.length > 0 && <OwnerCode platform={name} />}
          </div>
        </>
      )}
      {ways.length > 0 && (
        <section class="card">
          <h2>{t.ways}</h2>
          <dl class="facts">
            {ways.map(({ name: way, needs }) => (
              <>
                <dt>{way}</dt>
                <dd>{needs}</dd>
              </>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

function Logins({ platform, accounts, reload }: Platform & { reload(): void }) {
  return (
    <ul class="rows">
      {accounts.map(({ type, id, label, status }) => (
        <li key={id} class="row-card">
          <span class="grow">
            <strong class="cut">{label}</strong>
            <span class="quiet small">{t.kinds[type]}</span>
          </span>
          <StatusBadge status={status} />
          {type === 'connection' && BY_SIGN_IN.has(platform) && status !== 'ok' && (
            <Action run={() => connectBySignIn(platform, id)}>{t.renew}</Action>
          )}
          {platform === 'teams' && type === 'connection' && (
            <Action run={() => askAdministrator(id)}>{t.approve}</Action>
          )}
          {type !== 'sip_number' && (
            <Confirm
              class="quietly"
              action={type === 'connection' ? t.disconnect : texts.remove}
              question={t.disconnectQuestion(label)}
              run={async () => {
                if (type === 'connection')
                  await ask('DELETE /api/connections/{connection_id}', { params: { connection_id: id } });
                else await ask('DELETE /api/bot-tokens/{bot_id}', { params: { bot_id: id } });
                reload();
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
