import { sql } from 'kysely';
import { dayOf } from '../../base/time.ts';
import { deleteSome } from '../database/delete-some.ts';
import { prepared } from '../database/prepared.ts';
import type { Db, Row } from '../database/rows.ts';

/** What was used of each budget. */
export type Uses = Pick<Row<'budgetUses'>, 'turns' | 'tokens' | 'callMs'>;

/** The uses of one agent, and of its account, in the present hour and on the present day. */
export interface PresentUses {
  readonly accountId: string;
  readonly agentId: string;
  readonly hour: string;
  readonly day: string;
  readonly ofAgent: { readonly hour: Uses; readonly day: Uses };
  readonly ofAccount: { readonly hour: Uses; readonly day: Uses };
}

/** Stores uses in place of those stored before, in one statement. Does nothing if the account is gone. */
export async function putUses(db: Db, uses: PresentUses): Promise<void> {
  const { accountId, agentId, hour, day, ofAgent, ofAccount } = uses;
  await put(db, {
    accountId,
    rows: JSON.stringify([
      [agentId, hour, ofAgent.hour.turns, ofAgent.hour.tokens, ofAgent.hour.callMs],
      [agentId, day, ofAgent.day.turns, ofAgent.day.tokens, ofAgent.day.callMs],
      ['', hour, ofAccount.hour.turns, ofAccount.hour.tokens, ofAccount.hour.callMs],
      ['', day, ofAccount.day.turns, ofAccount.day.tokens, ofAccount.day.callMs],
    ]),
  });
}

const put = prepared((db, { accountId, rows }: { readonly accountId: string; readonly rows: string }) =>
  db
    .insertInto('budgetUses')
    .columns(['accountId', 'agentId', 'period', 'turns', 'tokens', 'callMs'])
    .expression((query) =>
      query
        .selectFrom(['accounts', sql<{ value: string }>`json_each(${rows})`.as('each')])
        .select([
          'accounts.id',
          sql<string>`each.value ->> 0`.as('agentId'),
          sql<string>`each.value ->> 1`.as('period'),
          sql<number>`each.value ->> 2`.as('turns'),
          sql<number>`each.value ->> 3`.as('tokens'),
          sql<number>`each.value ->> 4`.as('callMs'),
        ])
        .where('accounts.id', '=', accountId),
    )
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'agentId', 'period']).doUpdateSet(({ ref }) => ({
        turns: ref('excluded.turns'),
        tokens: ref('excluded.tokens'),
        callMs: ref('excluded.callMs'),
      })),
    ),
);

/** Returns what all accounts have used since the start of a day. */
export async function usesSince(db: Db, day: string): Promise<Row<'budgetUses'>[]> {
  return await db.selectFrom('budgetUses').selectAll().where('period', '>=', day).execute();
}

/** Deletes up to `limit` rows from before a time. Returns their number. */
export async function deleteOldUses(db: Db, before: string, limit: number): Promise<number> {
  return await deleteSome(db, 'budget_uses', sql`period < ${dayOf(before)}`, limit);
}
