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

/** Returns the account's usage since a day, by day and platform. Days and platforms without usage are left out. */
export async function usageSince(
  db: Db,
  accountId: string,
  firstDay: string,
  nowIso: string,
): Promise<UsageDay[]> {
  const calls = await callDays(db, accountId, firstDay, nowIso);
  const counted = await db
    .selectFrom('usageDays')
    .select(['day', 'platform', ...COUNTED])
    .where('accountId', '=', accountId)
    .where('day', '>=', firstDay)
    .execute();
  const days = new Map<string, UsageDay>();
  for (const part of [...calls, ...counted]) {
    const key = `${part.day} ${part.platform}`;
    days.set(key, { calls: 0, minutes: 0, ...NOTHING, ...days.get(key), ...part });
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
}

type CallDay = Pick<UsageDay, 'day' | 'platform' | 'calls' | 'minutes'>;

/** A call counts entirely on the day it started. A live call lasts until now. */
async function callDays(db: Db, accountId: string, firstDay: string, nowIso: string): Promise<CallDay[]> {
  const seconds = sql<number>`unixepoch(coalesce(ended_at, ${nowIso}), 'subsec') - unixepoch(answered_at, 'subsec')`;
  return await db
    .selectFrom('calls')
    .select(({ fn }) => [
      sql<string>`substr(created_at, 1, 10)`.as('day'),
      'platform',
      fn.countAll<number>().as('calls'),
      sql<number>`coalesce(sum(${seconds}), 0) / 60.0`.as('minutes'),
    ])
    .where('accountId', '=', accountId)
    // Timestamps start with their day, and a text sorts before its extensions.
    .where('createdAt', '>=', firstDay)
    .groupBy(['day', 'platform'])
    .execute();
}
