import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Platform } from '../api/answers.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Card, Facts, PageHead } from '../parts/layout.tsx';
import { List, Row, Rows } from '../parts/list.tsx';
import { Badge, isBad, State, stateName } from '../parts/value.tsx';
import { account } from '../shell/account.ts';
import { texts } from '../texts.ts';
import { type Budget, BudgetTable, spentBudgets, useBudgetName } from './account/usage.tsx';
import { LiveCalls } from './calls.tsx';
import { t } from './home.texts.ts';
import { t as inbox } from './inbox.texts.ts';
import { ConversationRow } from './inbox.tsx';
import { Returned } from './platforms.tsx';

const MOST_CONVERSATIONS = 6;

/** What happens now, and what needs attention. */
export function HomePage() {
  const traffic = { on: ['dm_', 'call_state'], everyMs: 10_000 };
  const platforms = useAnswer('GET /api/platforms', {}, { on: ['connection_'], everyMs: 30_000 });
  const keys = useAnswer('GET /api/api-keys', {}, traffic);
  const usage = useAnswer('GET /api/usage', {}, traffic);
  const all = platforms.data?.platforms ?? [];
  const { total, budgets = [] } = usage.data ?? {};

  const steps = [
    { action: t.connect, to: '/platforms', isDone: all.some(({ accounts }) => accounts.length > 0) },
    { action: t.key, to: '/keys', isDone: (keys.data?.keys ?? []).some((key) => key.last_used_at !== null) },
    { action: t.traffic, to: '/calls', isDone: total !== undefined && total.calls + total.messages > 0 },
  ];
  return (
    <>
      <PageHead title={texts.pages.home} />
      <Returned />
      <Attention platforms={all} budgets={budgets} />
      {platforms.data && keys.data && total && !steps.every(({ isDone }) => isDone) && (
        <Card title={t.begin}>
          <ol class="steps">
            {steps.map(({ action, to, isDone }) => (
              <li key={to}>
                <Link href={to}>{action}</Link> {isDone && <Badge tone="good">{t.done}</Badge>}
              </li>
            ))}
          </ol>
        </Card>
      )}
      <div class="columns">
        <div>
          <LiveCalls />
          <Card title={texts.pages.platforms}>
            <Rows of={all} none={texts.loading}>
              {({ platform, status }) => (
                <Row key={platform} title={texts.platforms[platform]} href={`/platforms/${platform}`}>
                  <State of={status} />
                </Row>
              )}
            </Rows>
          </Card>
        </div>
        <div>
          <Card title={t.newest}>
            <List
              from="GET /api/inbox"
              with={{ limit: MOST_CONVERSATIONS }}
              on={['dm_']}
              of={(data) => data.conversations}
              by="conversation_id"
              none={inbox.none}
            >
              {(each) => <ConversationRow {...each} />}
            </List>
          </Card>
          {total && (
            <Card title={t.month}>
              <Facts
                isLarge
                of={[
                  [t.calls, total.calls.toLocaleString()],
                  [t.minutes, Math.round(total.minutes).toLocaleString()],
                  [t.messages, total.messages.toLocaleString()],
                  [t.concurrent, account.value?.concurrent_calls.limit],
                ]}
              />
              <BudgetTable of={budgets.filter(({ agent_id: id }) => id === null)} />
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

interface AttentionProps {
  readonly platforms: readonly Platform[];
  readonly budgets: readonly Budget[];
}

/** What somebody has to do, or will soon. */
function Attention({ platforms, budgets }: AttentionProps) {
  const voices = useAnswer('GET /api/voice-configs');
  const nameOf = useBudgetName();
  const notes: (readonly [href: string, note: ComponentChildren])[] = [];
  const { email = null, email_verified: isVerified } = account.value ?? {};
  if (email !== null && !isVerified) notes.push(['/account', t.verify]);
  for (const { platform, status } of platforms)
    if (isBad(status))
      notes.push([`/platforms/${platform}`, `${texts.platforms[platform]}: ${stateName(status)}`]);
  for (const { name, key_status: state, key_detail: detail, notices } of voices.data?.voice_configs ?? []) {
    const isGood = state === 'valid' || state === 'not_needed';
    for (const problem of isGood ? notices : [detail ?? stateName(state), ...notices])
      notes.push(['/voice', `${name}: ${problem}`]);
  }
  for (const spent of spentBudgets(budgets, nameOf)) notes.push(['/account', spent]);
  if (notes.length === 0) return null;
  return (
    <section class="banner warn">
      <h2>{t.attention}</h2>
      <ul>
        {notes.map(([href, note], at) => (
          <li key={at}>
            <Link href={href}>{note}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
