import { DEFAULT_AGENT_FIRST, withAgentIds } from '../agents/agents.ts';
import { type Db, deleteRows, putRow, type Row } from '../database/rows.ts';

/** What an account allows an MCP client to do. */
export interface McpAuthorization extends Row<'mcpAuthorizations'> {
  /** The agents that the client acts for, the default one first. */
  readonly agentIds: readonly string[];
}

/** An authorization with its client, as shown to the account's owner. */
export interface ListedAuthorization extends McpAuthorization {
  readonly clientName: string;
  readonly registeredAt: string;
}

/** Stores an authorization and replaces the account's earlier one for this client. Call it in a transaction. */
export async function putAuthorization(
  db: Db,
  { agentIds, ...authorization }: McpAuthorization,
): Promise<void> {
  const { id } = authorization;
  await putRow(db, 'mcpAuthorizations', authorization, {
    key: ['id'],
    kept: ['accountId', 'clientId', 'lastUsedAt'],
  });
  await deleteRows(db, 'agentAuthorizations', { authorizationId: id });
  const members = agentIds.map((agentId) => ({ agentId, authorizationId: id }));
  await db.insertInto('agentAuthorizations').values(members).execute();
}

export async function findAuthorization(
  db: Db,
  accountId: string,
  clientId: string,
): Promise<ListedAuthorization | undefined> {
  const rows = await authorizations(db, accountId)
    .where('mcpAuthorizations.clientId', '=', clientId)
    .execute();
  return withAgentIds(rows)[0];
}

/** Oldest first. */
export async function listAuthorizations(db: Db, accountId: string): Promise<ListedAuthorization[]> {
  return withAgentIds(await authorizations(db, accountId).execute());
}

/** One row per agent of an authorization, the default agent first. */
function authorizations(db: Db, accountId: string) {
  return db
    .selectFrom('mcpAuthorizations')
    .innerJoin('oauthClients', 'oauthClients.clientId', 'mcpAuthorizations.clientId')
    .leftJoin('agentAuthorizations', 'agentAuthorizations.authorizationId', 'mcpAuthorizations.id')
    .leftJoin('agents', 'agents.id', 'agentAuthorizations.agentId')
    .selectAll('mcpAuthorizations')
    .select(['oauthClients.clientName', 'oauthClients.registeredAt', 'agents.id as agentId'])
    .where('mcpAuthorizations.accountId', '=', accountId)
    .orderBy('mcpAuthorizations.createdAt')
    .orderBy('mcpAuthorizations.id')
    .orderBy(DEFAULT_AGENT_FIRST);
}
