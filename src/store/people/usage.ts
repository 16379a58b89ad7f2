import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { Db } from '../database/tables.ts';

/** An account's usage of one platform on one day (YYYY-MM-DD, UTC). */
export interface UsageDay {
  readonly day: string;
  readonly platform: Platform;
  /** Calls that started on this day. */
  readonly calls: number;
  /** Time since answering, up to now for live calls. Includes fractions of a minute. */
  readonly minutes: number;
  readonly messages: number;
  /** File bytes in both directions. */
  readonly bytes: number;
}

/** Adds to an account's usage of one platform on one day. */
export async function countUsage(
  db: Db,
  counted: Pick<UsageDay, 'day' | 'platform' | 'messages' | 'bytes'> & { readonly accountId: string },
): Promise<void> {
  await db
    .insertInto('usageDays')
    .values(counted)
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'platform', 'day']).doUpdateSet(({ eb, ref }) => ({
        messages: eb(ref('usageDays.messages'), '+', ref('excluded.messages')),
        bytes: eb(ref('usageDays.bytes'), '+', ref('excluded.bytes')),
      })),
    )
    .execute();
}

/** Returns the account's usage since a day, by day and platform. Days and platforms without usage are left out. */
export async function usageSince(
  db: Db,
  accountId: string,
  firstDay: string,
  nowIso: string,
): Promise<UsageDay[]> {
  const calls = await callDays(db, accountId, firstDay, nowIso);
  const messages = await db
    .selectFrom('usageDays')
    .select(['day', 'platform', 'messages', 'bytes'])
    .where('accountId', '=', accountId)
    .where('day', '>=', firstDay)
    .execute();
  const days = new Map<string, UsageDay>();
  for (const part of [...calls, ...messages]) {
    const key = `${part.day} ${part.platform}`;
    days.set(key, { calls: 0, minutes: 0, messages: 0, bytes: 0, ...days.get(key), ...part });
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
