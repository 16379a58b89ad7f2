import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Platform } from '../api/answers.ts';
import { useAnswer } from '../api/use-answer.ts';
import { StatusBadge, statusText } from '../parts/badge.tsx';
import { Card, Facts, Loaded, PageHead } from '../parts/layout.tsx';
import { account } from '../shell/account.ts';
import { texts } from '../texts.ts';
import { type Budget, BudgetTable, spentBudgets } from './account/budgets.tsx';
import { CallRows, LIST_EVENTS } from './calls.tsx';
import { ConversationRows } from './inbox-list.tsx';
import { Returned } from './platform/connecting.tsx';

const t = texts.home;
const MOST_CONVERSATIONS = 6;

/** What happens now, and what needs attention. */
export function HomePage() {
  const calls = useAnswer('GET /api/calls', {}, { on: LIST_EVENTS, everyMs: 10_000 });
  const inbox = useAnswer('GET /api/inbox', { query: { limit: MOST_CONVERSATIONS } }, { on: ['dm_'] });
  const platforms = useAnswer('GET /api/platforms', {}, { on: ['connection_'], everyMs: 30_000 });
  const keys = useAnswer('GET /api/api-keys', {}, { on: ['dm_', 'call_state'], everyMs: 10_000 });
  const usage = useAnswer('GET /api/usage', {}, { on: ['dm_', 'call_state'], everyMs: 10_000 });
  const all = platforms.data?.platforms ?? [];
  const { total, budgets = [] } = usage.data ?? {};

  const steps = [
    { action: t.connect, to: '/platforms', isDone: all.some(({ accounts }) => accounts.length > 0) },
    { action: t.key, to: '/keys', isDone: (keys.data?.keys ?? []).some((key) => key.last_used_at !== null) },
    { action: t.traffic, to: '/calls', isDone: total !== undefined && total.calls + total.messages > 0 },
  ];
  const isKnown = platforms.data && keys.data && total;
  return (
    <>
      <PageHead title={texts.nav.home} />
      <Returned />
      <Attention platforms={all} budgets={budgets} />
      {isKnown && !steps.every(({ isDone }) => isDone) && (
        <Card title={t.begin}>
          <ol class="steps">
            {steps.map(({ action, to, isDone }) => (
              <li key={to} class={isDone ? 'done' : ''}>
                <Link href={to}>{action}</Link> <span class="quiet">{isDone ? t.done : ''}</span>
              </li>
            ))}
          </ol>
        </Card>
      )}
      <div class="columns">
        <div>
          <Card title={texts.calls.live}>
            <Loaded answer={calls}>{(data) => <CallRows calls={data.calls} />}</Loaded>
          </Card>
          <Card title={texts.nav.platforms}>
            <ul class="rows">
              {all.map(({ platform, status }) => (
                <li key={platform} class="row">
                  <Link href={`/platforms/${platform}`} class="grow">
                    {texts.platforms[platform]}
                  </Link>
                  <StatusBadge status={status} />
                </li>
              ))}
            </ul>
          </Card>
        </div>
        <div>
          <Card title={t.newest}>
            <Loaded answer={inbox}>
              {(data) => <ConversationRows conversations={data.conversations} />}
            </Loaded>
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

const GOOD_KEYS: ReadonlySet<string> = new Set(['valid', 'not_needed']);

/** What somebody has to do, or will soon. */
function Attention({
  platforms,
  budgets,
}: {
  readonly platforms: readonly Platform[];
  readonly budgets: readonly Budget[];
}) {
  const agents = useAnswer('GET /api/agents');
  const voices = useAnswer('GET /api/voice-configs');
  const notes: (readonly [href: string, note: ComponentChildren])[] = [];
  const { email = null, email_verified: isVerified } = account.value ?? {};
  if (email !== null && !isVerified) notes.push(['/account', t.verify]);
  // A status that has a name of its own needs nothing done.
  for (const { platform, status } of platforms)
    if (texts.statuses[status] === undefined)
      notes.push([`/platforms/${platform}`, `${texts.platforms[platform]}: ${statusText(status)}`]);
  for (const { name, key_status: state, key_detail: detail, notices } of voices.data?.voice_configs ?? []) {
    const problems = GOOD_KEYS.has(state)
      ? notices
      : [detail ?? texts.voice.keyStates[state] ?? state, ...notices];
    for (const problem of problems) notes.push(['/voice', `${name}: ${problem}`]);
  }
  const nameOf = ({ agent_id: id }: Budget): string =>
    agents.data?.agents.find((each) => each.id === id)?.name ?? texts.budgets.account;
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
