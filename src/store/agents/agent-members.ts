import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db, Row } from '../database/rows.ts';
import { DEFAULT_AGENT_FIRST, type Member } from './agents.ts';

/** A key as listed for its agents. */
export interface AgentKey {
  readonly agentId: string;
  readonly id: string;
  readonly keyPrefix: string;
}

/** Returns all memberships of the account's keys, oldest key first. Internal bearers are left out. */
export async function listAgentKeys(db: Db, accountId: string): Promise<AgentKey[]> {
  return await db
    .selectFrom('agentKeys')
    .innerJoin('apiKeys', 'apiKeys.id', 'agentKeys.keyId')
    .leftJoin('internalBearers', 'internalBearers.keyId', 'apiKeys.id')
    .select(['agentKeys.agentId', 'apiKeys.id', 'apiKeys.keyPrefix'])
    .where('apiKeys.accountId', '=', accountId)
    .where('internalBearers.keyId', 'is', null)
    .orderBy('apiKeys.createdAt')
    .orderBy('apiKeys.id')
    .execute();
}

/** Returns all memberships of the account's platform accounts. */
export async function listMemberships(db: Db, accountId: string): Promise<Row<'agentAccounts'>[]> {
  return await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .selectAll('agentAccounts')
    .where('agents.accountId', '=', accountId)
    .execute();
}

/** Returns the ids of the agents that have a platform account. */
export async function agentsOfMember(db: Db, member: Member): Promise<string[]> {
  const { rows } = await holdersOf(db, member);
  return rows.map((row) => row.agentId);
}

const holdersOf = prepared((db, { type, id }: Member) =>
  db.selectFrom('agentAccounts').select('agentId').where('memberType', '=', type).where('memberId', '=', id),
);

/** Returns the agent that answers calls of a platform account: the default one, else the oldest. */
export async function answeringAgent(db: Db, member: Member): Promise<string | undefined> {
  const row = await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select('agents.id')
    .where('agentAccounts.memberType', '=', member.type)
    .where('agentAccounts.memberId', '=', member.id)
    .orderBy(DEFAULT_AGENT_FIRST)
    .executeTakeFirst();
  return row?.id;
}

/** The tables of agents' members, with the columns that identify a member. */
const MEMBERS = [
  ['agent_keys', ['key_id']],
  ['agent_accounts', ['member_type', 'member_id']],
  ['agent_authorizations', ['authorization_id']],
] as const;

/** Returns whether any key, MCP client or platform account belongs to this agent only. */
export async function hasSoleMembers(db: Db, agentId: string): Promise<boolean> {
  for (const [table, columns] of MEMBERS) if (await hasSole(db, agentId, table, columns)) return true;
  return false;
}

async function hasSole(db: Db, agentId: string, table: string, columns: readonly string[]): Promise<boolean> {
  const members = sql.table(table);
  const equal = columns.map((column) => sql`${sql.ref(`other.${column}`)} = ${sql.ref(`mine.${column}`)}`);
  const { rows } = await sql`
    select 1 from ${members} as mine where mine.agent_id = ${agentId} and not exists (
      select 1 from ${members} as other
      where ${sql.join(equal, sql` and `)} and other.agent_id != mine.agent_id)
    limit 1`.execute(db);
  return rows.length > 0;
}
