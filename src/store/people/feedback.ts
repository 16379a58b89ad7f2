import { sql } from 'kysely';
import type { Db, Row } from '../database/rows.ts';

/** A message to the gateway's operator. */
export type Feedback = Row<'feedback'>;

/** Counts an account's feedback since a time. */
export async function countFeedback(db: Db, accountId: string, since: string): Promise<number> {
  const { count } = await db
    .selectFrom('feedback')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('createdAt', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Rows deleted at a time, which takes less than a millisecond even if many have accumulated. */
const PRUNED_AT_ONCE = 100;

/** Deletes an account's feedback except for the `keep` newest entries. */
export async function pruneFeedback(db: Db, accountId: string, keep: number): Promise<void> {
  const surplus = db
    .selectFrom('feedback')
    .select('id')
    .where('accountId', '=', accountId)
    .orderBy('createdAt', 'desc')
    .orderBy(sql`rowid`, 'desc')
    .limit(PRUNED_AT_ONCE)
    .offset(keep);
  await db.deleteFrom('feedback').where('id', 'in', surplus).execute();
}
