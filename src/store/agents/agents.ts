import { sql } from 'kysely';
import { changeRows, type Db, findRow, insertNewRow, insertReturning, type Row } from '../database/rows.ts';
import type { MemberType } from './agent-tables.ts';

export type Agent = Row<'agents'>;

/** A platform account as a member of an agent. */
export interface Member {
  readonly type: MemberType;
  readonly id: string;
}

/** Orders agents: the default one first, then from the oldest. */
export const DEFAULT_AGENT_FIRST = sql`agents.is_default desc, agents.created_at, agents.id`;

/** Joins the rows of each object, which differ only in their agent. An object without agents has one row, with null. */
export function withAgentIds<Row extends { readonly id: string; readonly agentId: string | null }>(
  rows: readonly Row[],
): (Omit<Row, 'agentId'> & { readonly agentIds: readonly string[] })[] {
  return [...Map.groupBy(rows, (row) => row.id).values()].map((same) => {
    const { agentId: _first, ...object } = same[0]!;
    return { ...object, agentIds: same.map((row) => row.agentId).filter((id) => id !== null) };
  });
}

/** A new agent. It starts with the gateway's timeout text. */
export type NewAgent = Omit<Agent, 'timeoutText'>;

export async function insertAgent(db: Db, agent: NewAgent): Promise<Agent> {
  return await insertReturning(db, 'agents', agent);
}

export async function findDefaultAgent(db: Db, accountId: string): Promise<Agent | undefined> {
  return await db
    .selectFrom('agents')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`is_default = 1`)
    .executeTakeFirst();
}

/** Lists the default agent first, then from the oldest. */
export async function listAgents(db: Db, accountId: string): Promise<Agent[]> {
  return await db
    .selectFrom('agents')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy(DEFAULT_AGENT_FIRST)
    .execute();
}

export async function findAgent(db: Db, accountId: string, agentId: string): Promise<Agent | undefined> {
  return await findRow(db, 'agents', { accountId, id: agentId });
}

/** Makes an agent the default of its account, in place of the current one. Call it in a transaction. */
export async function moveDefault(db: Db, accountId: string, agentId: string): Promise<void> {
  await changeRows(db, 'agents', { accountId }, { isDefault: false });
  await changeRows(db, 'agents', { id: agentId }, { isDefault: true });
}

/** Idempotent. */
export async function attachMember(db: Db, agentId: string, member: Member): Promise<void> {
  await insertNewRow(db, 'agentAccounts', { agentId, memberType: member.type, memberId: member.id });
}

/**
 * Returns the ids of all agents, or of one account's, with their account ids. The default agent is first, then the
 * oldest.
 */
export async function listAgentIds(
  db: Db,
  accountId: string | null,
): Promise<{ readonly id: string; readonly accountId: string }[]> {
  const all = db.selectFrom('agents').select(['id', 'accountId']);
  const wanted = accountId === null ? all : all.where('accountId', '=', accountId);
  return await wanted.orderBy(DEFAULT_AGENT_FIRST).execute();
}
