import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/rows.ts';

/** What is counted as it happens. */
export interface CountedUsage {
  readonly messages: number;
  /** File bytes in both directions. */
  readonly bytes: number;
  /** Of texts for hosted text-to-speech. */
  readonly spokenCharacters: number;
  /** Audio from hosted text-to-speech. */
  readonly spokenMs: number;
  /** Audio sent to hosted speech recognition. */
  readonly heardMs: number;
}

const NOTHING: CountedUsage = { messages: 0, bytes: 0, spokenCharacters: 0, spokenMs: 0, heardMs: 0 };
const MINUTE_MS = 60_000;
const COUNTED = Object.keys(NOTHING) as (keyof CountedUsage)[];

/** An account's usage of one platform on one day (YYYY-MM-DD, UTC). */
export interface UsageDay extends CountedUsage {
  readonly day: string;
  readonly platform: Platform;
  /** Calls that started on this day. */
  readonly calls: number;
  /** Time since answering, up to now for live calls. Includes fractions of a minute. */
  readonly minutes: number;
}

/** Adds to an account's usage of one platform on one day. Does nothing if the account is gone. */
export async function countUsage(db: Db, counted: UsageOf & Partial<CountedUsage>): Promise<void> {
  await addUsage(db, { ...NOTHING, ...counted });
}

type UsageOf = Pick<UsageDay, 'day' | 'platform'> & { readonly accountId: string };

const addUsage = prepared((db, counted: UsageOf & CountedUsage) =>
  db
    .insertInto('usageDays')
    .columns(['accountId', 'platform', 'day', ...COUNTED])
    .expression((query) =>
      query
        .selectFrom('accounts')
        .select(({ val }) => [
          'id',
          val(counted.platform).as('platform'),
          val(counted.day).as('day'),
          ...COUNTED.map((name) => val(counted[name]).as(name)),
        ])
        .where('id', '=', counted.accountId),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'platform', 'day'])
        .doUpdateSet(({ eb, ref }) =>
          Object.fromEntries(
            COUNTED.map((name) => [name, eb(ref(`usageDays.${name}`), '+', ref(`excluded.${name}`))]),
          ),
        ),
    ),
);

/**
 * Returns the account's usage since a day, by day and platform. Days and platforms without usage are left out. A live call
 * counts up to now.
 */
export async function usageSince(
  db: Db,
  accountId: string,
  firstDay: string,
  nowIso: string,
): Promise<UsageDay[]> {
  const counted = await db
    .selectFrom('usageDays')
    .select(['day', 'platform', 'calls', 'callMs', ...COUNTED])
    .where('accountId', '=', accountId)
    .where('day', '>=', firstDay)
    .execute();
  const days = new Map<string, UsageDay>();
  for (const { callMs, ...counts } of [...counted, ...(await liveCalls(db, accountId, firstDay, nowIso))]) {
    const key = `${counts.day} ${counts.platform}`;
    const before = days.get(key) ?? { ...NOTHING, calls: 0, minutes: 0 };
    const calls = before.calls + counts.calls;
    days.set(key, { ...before, ...counts, calls, minutes: before.minutes + callMs / MINUTE_MS });
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

/** The calls that have not ended, as they would be counted if they ended now. */
async function liveCalls(db: Db, accountId: string, firstDay: string, nowIso: string) {
  return await db
    .selectFrom('calls')
    .select(({ fn }) => [
      sql<string>`substr(created_at, 1, 10)`.as('day'),
      'platform',
      fn.countAll<number>().as('calls'),
      sql<number>`coalesce(sum(unixepoch(${nowIso}, 'subsec') - unixepoch(answered_at, 'subsec')), 0) * 1000`.as(
        'callMs',
      ),
    ])
    .where('accountId', '=', accountId)
    .where('endedAt', 'is', null)
    // Timestamps start with their day, and a text sorts before its extensions.
    .where('createdAt', '>=', firstDay)
    .groupBy(['day', 'platform'])
    .execute();
}
