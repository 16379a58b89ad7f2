import type { Db, Row } from '../database/rows.ts';

/** Returns the limits that the owners of an account's agents have set, by agent. */
export async function listBudgets(
  db: Db,
  accountId: string,
): Promise<ReadonlyMap<string, Row<'agentBudgets'>['limits']>> {
  const rows = await db
    .selectFrom('agentBudgets')
    .innerJoin('agents', 'agents.id', 'agentBudgets.agentId')
    .select(['agentId', 'limits'])
    .where('accountId', '=', accountId)
    .execute();
  return new Map(rows.map(({ agentId, limits }) => [agentId, limits]));
}
