import type { Platform } from '../../base/platform.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { Db } from '../database/rows.ts';

/** A bot or connection as the login of an agent that has it. */
export interface StoredAgentLogin {
  readonly kind: 'bot_token' | 'connection';
  readonly id: string;
  readonly label: string;
  readonly agentId: string;
}

/**
 * Returns the bots and connections of these agents at a platform, in the order of the agents, then the oldest first. A
 * login of several agents is listed for each. Connections that only link a person to the gateway's own login are left out,
 * because they cannot act by themselves: one by OAuth can, even if it links its person as well.
 */
export async function loginsOfAgents(
  db: Db,
  { accountId, agentIds }: Pick<AgentScope, 'accountId' | 'agentIds'>,
  platform: Platform,
): Promise<StoredAgentLogin[]> {
  const logins = [
    ...(await botsOf(db, accountId, agentIds, platform)),
    ...(await connectionsOf(db, accountId, agentIds, platform)),
  ];
  return agentIds.flatMap((agentId) => logins.filter((login) => login.agentId === agentId));
}

/** Returns the agent that is called by a connection: of several, the account's default one, or the oldest; null: there is none. */
export async function agentOfConnection(db: Db, connectionId: string): Promise<string | null> {
  const row = await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select('agents.id')
    .where('agentAccounts.memberType', '=', 'connection')
    .where('agentAccounts.memberId', '=', connectionId)
    .orderBy('agents.isDefault', 'desc')
    .orderBy('agents.createdAt')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

async function botsOf(
  db: Db,
  accountId: string,
  agentIds: readonly string[],
  platform: Platform,
): Promise<StoredAgentLogin[]> {
  const rows = await db
    .selectFrom('botTokens')
    .innerJoin('agentAccounts', 'agentAccounts.memberId', 'botTokens.id')
    .select(['botTokens.id', 'botTokens.botName', 'agentAccounts.agentId'])
    .where('agentAccounts.memberType', '=', 'bot_token')
    .where('agentAccounts.agentId', 'in', agentIds)
    .where('botTokens.accountId', '=', accountId)
    .where('botTokens.platform', '=', platform)
    .orderBy('botTokens.createdAt')
    .orderBy('botTokens.id')
    .execute();
  return rows.map(({ botName, ...row }) => ({ kind: 'bot_token', label: botName ?? platform, ...row }));
}

async function connectionsOf(
  db: Db,
  accountId: string,
  agentIds: readonly string[],
  platform: Platform,
): Promise<StoredAgentLogin[]> {
  const rows = await db
    .selectFrom('connections')
    .innerJoin('agentAccounts', 'agentAccounts.memberId', 'connections.id')
    .select(['connections.id', 'connections.label', 'agentAccounts.agentId'])
    .where('agentAccounts.memberType', '=', 'connection')
    .where('agentAccounts.agentId', 'in', agentIds)
    .where('connections.accountId', '=', accountId)
    .where('connections.provider', '=', platform)
    .where(({ eb, or }) =>
      or([eb('connections.loginKey', 'is', null), eb('connections.providerUserId', 'is not', null)]),
    )
    .orderBy('connections.createdAt')
    .orderBy('connections.id')
    .execute();
  return rows.map((row) => ({ kind: 'connection', ...row }));
}
