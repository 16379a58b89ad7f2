import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Platform } from '../api/items.ts';
import { useAnswer } from '../api/use-answer.ts';
import { StatusBadge, statusText } from '../parts/badge.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { account } from '../shell/account.ts';
import { texts } from '../texts.ts';
import { CallRows, LIST_EVENTS } from './calls.tsx';
import { ConversationRows } from './inbox-list.tsx';

const t = texts.home;
const MOST_CONVERSATIONS = 6;

/** What happens now, and what needs attention. */
export function HomePage() {
  const calls = useAnswer('GET /api/calls', {}, { on: LIST_EVENTS, everyMs: 10_000 });
  const inbox = useAnswer('GET /api/inbox', { query: { limit: MOST_CONVERSATIONS } }, { on: ['dm_'] });
  const platforms = useAnswer('GET /api/platforms', {}, { on: ['connection_'], everyMs: 30_000 });
  const keys = useAnswer('GET /api/api-keys', {}, { everyMs: 10_000 });
  const usage = useAnswer('GET /api/usage', {}, { everyMs: 10_000 });

  const isConnected = platforms.data?.platforms.some(({ accounts }) => accounts.length > 0);
  const isKeyUsed = keys.data?.keys.some(({ last_used_at: at }) => at !== null);
  const { total } = usage.data ?? {};
  const hasTraffic = total && (total.calls > 0 || total.messages > 0);
  const isKnown = platforms.data && keys.data && usage.data;
  return (
    <>
      <PageHead title={texts.nav.home} />
      <Attention platforms={platforms.data?.platforms ?? []} />
      {isKnown && !(isConnected && isKeyUsed && hasTraffic) && (
        <section class="card">
          <h2>{t.begin}</h2>
          <ol class="steps">
            <Step isDone={isConnected === true} to="/platforms" action={t.connect} />
            <Step isDone={isKeyUsed === true} to="/keys" action={t.key} />
            <Step isDone={hasTraffic === true} to="/calls" action={t.traffic} />
          </ol>
        </section>
      )}
      <div class="columns">
        <section class="card">
          <h2>{texts.calls.live}</h2>
          <Loaded answer={calls}>
            {(data) =>
              data.calls.length === 0 ? <Empty>{texts.calls.none}</Empty> : <CallRows calls={data.calls} />
            }
          </Loaded>
        </section>
        <section class="card">
          <h2>{t.newest}</h2>
          <Loaded answer={inbox}>{(data) => <ConversationRows conversations={data.conversations} />}</Loaded>
        </section>
        <section class="card">
          <h2>{texts.nav.platforms}</h2>
          <Loaded answer={platforms}>
            {(data) => (
              <ul class="rows">
                {data.platforms.map(({ platform, status }) => (
                  <li key={platform} class="row">
                    <Link href={`/platforms/${platform}`} class="grow">
                      {texts.platforms[platform]}
                    </Link>
                    <StatusBadge status={status} />
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </section>
        {total && (
          <section class="card">
            <h2>{t.month}</h2>
            <dl class="figures">
              <Figure name={t.calls} value={total.calls} />
              <Figure name={t.minutes} value={Math.round(total.minutes)} />
              <Figure name={t.messages} value={total.messages} />
              <Figure name={t.concurrent} value={account.value?.concurrent_calls.limit ?? 0} />
            </dl>
          </section>
        )}
      </div>
    </>
  );
}

function Step({
  isDone,
  to,
  action,
}: {
  readonly isDone: boolean;
  readonly to: string;
  readonly action: string;
}) {
  return (
    <li class={isDone ? 'done' : ''}>
      <Link href={to}>{action}</Link>
      <span class="quiet"> {isDone ? t.done : ''}</span>
    </li>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="digits">{value.toLocaleString()}</dd>
    </div>
  );
}

const QUIET: ReadonlySet<string> = new Set(['ok', 'not_configured', 'not_granted']);

/** What somebody has to do, or will soon. */
function Attention({ platforms }: { readonly platforms: readonly Platform[] }) {
  const voices = useAnswer('GET /api/voice-configs');
  const notes: ComponentChildren[] = [];
  if (account.value?.email_verified === false && account.value.email !== null)
    notes.push(<Link href="/account">{t.verify}</Link>);
  for (const { platform, status } of platforms) {
    if (QUIET.has(status)) continue;
    notes.push(
      <Link href={`/platforms/${platform}`}>
        {texts.platforms[platform]}: {statusText(status)}
      </Link>,
    );
  }
  for (const { id, name, key_status: status, key_detail: detail, notices } of voices.data?.voice_configs ??
    []) {
    const problems = [
      ...(status === 'valid' || status === 'not_needed' ? [] : [detail ?? status]),
      ...notices,
    ];
    for (const problem of problems)
      notes.push(
        <Link key={id} href="/voice">
          {name}: {problem}
        </Link>,
      );
  }
  if (notes.length === 0) return null;
  return (
    <section class="banner warn">
      <h2>{t.attention}</h2>
      <ul>
        {notes.map((note, at) => (
          <li key={at}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
