import type { Db } from '../database/tables.ts';
import { hasSoleAuthorization } from '../keys/mcp-authorizations.ts';
import type { MemberType } from './agent-tables.ts';
import type { Member } from './agents.ts';

/** A key as listed for its agents. */
export interface AgentKey {
  readonly agentId: string;
  readonly id: string;
  readonly keyPrefix: string;
}

/** Membership of one platform account in an agent. */
export interface Membership {
  readonly agentId: string;
  readonly memberType: MemberType;
  readonly memberId: string;
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
export async function listMemberships(db: Db, accountId: string): Promise<Membership[]> {
  return await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .selectAll('agentAccounts')
    .where('agents.accountId', '=', accountId)
    .execute();
}

/** Returns the ids of the agents that have a platform account. */
export async function agentsOfMember(db: Db, member: Member): Promise<string[]> {
  const rows = await db
    .selectFrom('agentAccounts')
    .select('agentId')
    .where('memberType', '=', member.type)
    .where('memberId', '=', member.id)
    .execute();
  return rows.map((row) => row.agentId);
}

export async function detachKey(db: Db, agentId: string, keyId: string): Promise<void> {
  await db.deleteFrom('agentKeys').where('agentId', '=', agentId).where('keyId', '=', keyId).execute();
}

export async function detachMember(db: Db, agentId: string, member: Member): Promise<void> {
  await db
    .deleteFrom('agentAccounts')
    .where('agentId', '=', agentId)
    .where('memberType', '=', member.type)
    .where('memberId', '=', member.id)
    .execute();
}

/** Returns whether any key, MCP client or platform account belongs to this agent only. */
export async function hasSoleMembers(db: Db, agentId: string): Promise<boolean> {
  if (await hasSoleAuthorization(db, agentId)) return true;
  return (await hasSoleKey(db, agentId)) || (await hasSoleAccount(db, agentId));
}

async function hasSoleKey(db: Db, agentId: string): Promise<boolean> {
  const sole = await db
    .selectFrom('agentKeys as mine')
    .leftJoin('agentKeys as other', (join) =>
      join.onRef('other.keyId', '=', 'mine.keyId').onRef('other.agentId', '!=', 'mine.agentId'),
    )
    .select('mine.keyId')
    .where('mine.agentId', '=', agentId)
    .where('other.keyId', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return sole !== undefined;
}

async function hasSoleAccount(db: Db, agentId: string): Promise<boolean> {
  const sole = await db
    .selectFrom('agentAccounts as mine')
    .leftJoin('agentAccounts as other', (join) =>
      join
        .onRef('other.memberType', '=', 'mine.memberType')
        .onRef('other.memberId', '=', 'mine.memberId')
        .onRef('other.agentId', '!=', 'mine.agentId'),
    )
    .select('mine.memberId')
    .where('mine.agentId', '=', agentId)
    .where('other.memberId', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return sole !== undefined;
}
