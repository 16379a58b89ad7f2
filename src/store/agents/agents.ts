import { type Selectable, sql } from 'kysely';
import { bit } from '../database/column-types.ts';
import type { Db } from '../database/tables.ts';
import type { AgentsTable, MemberType } from './agent-tables.ts';

export interface Agent extends Omit<Selectable<AgentsTable>, 'isDefault'> {
  readonly isDefault: boolean;
}

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
  const whole = { ...agent, timeoutText: null };
  await db
    .insertInto('agents')
    .values({ ...whole, isDefault: bit(agent.isDefault) })
    .execute();
  return whole;
}

export async function findDefaultAgent(db: Db, accountId: string): Promise<Agent | undefined> {
  const row = await db
    .selectFrom('agents')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('isDefault', '=', sql.lit(1))
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Lists the default agent first, then from the oldest. */
export async function listAgents(db: Db, accountId: string): Promise<Agent[]> {
  const rows = await db
    .selectFrom('agents')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy(DEFAULT_AGENT_FIRST)
    .execute();
  return rows.map(fromRow);
}

export async function findAgent(db: Db, accountId: string, agentId: string): Promise<Agent | undefined> {
  const row = await db
    .selectFrom('agents')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', agentId)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** A change to an agent. Undefined fields stay unchanged. */
export interface AgentChange {
  readonly name?: string | undefined;
  readonly timeoutText?: string | null | undefined;
}

export async function updateAgent(db: Db, agentId: string, change: AgentChange): Promise<void> {
  const { name, timeoutText } = change;
  await db.updateTable('agents').set({ name, timeoutText }).where('id', '=', agentId).execute();
}

/** Makes an agent the default of its account, in place of the current one. Call it in a transaction. */
export async function moveDefault(db: Db, accountId: string, agentId: string): Promise<void> {
  await db.updateTable('agents').set({ isDefault: 0 }).where('accountId', '=', accountId).execute();
  await db.updateTable('agents').set({ isDefault: 1 }).where('id', '=', agentId).execute();
}

/** Deletes an agent with its memberships, provider and deliveries. Its calls remain, without an agent. */
export async function dropAgent(db: Db, agentId: string): Promise<void> {
  await db.deleteFrom('agents').where('id', '=', agentId).execute();
}

/** Idempotent. */
export async function attachKey(db: Db, agentId: string, keyId: string): Promise<void> {
  await db
    .insertInto('agentKeys')
    .values({ agentId, keyId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Idempotent. */
export async function attachMember(db: Db, agentId: string, member: Member): Promise<void> {
  await db
    .insertInto('agentAccounts')
    .values({ agentId, memberType: member.type, memberId: member.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the platform accounts of these agents. */
export async function listMembersOf(db: Db, agentIds: readonly string[]): Promise<Member[]> {
  return await db
    .selectFrom('agentAccounts')
    .select(['memberType as type', 'memberId as id'])
    .where('agentId', 'in', agentIds)
    .execute();
}

/** Removes a platform account from all agents, before it is deleted. */
export async function detachMemberEverywhere(db: Db, member: Member): Promise<void> {
  await db
    .deleteFrom('agentAccounts')
    .where('memberType', '=', member.type)
    .where('memberId', '=', member.id)
    .execute();
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

function fromRow(row: Selectable<AgentsTable>): Agent {
  return { ...row, isDefault: row.isDefault === 1 };
}
