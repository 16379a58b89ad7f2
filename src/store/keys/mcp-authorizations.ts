import type { Selectable } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { DEFAULT_AGENT_FIRST, withAgentIds } from '../agents/agents.ts';
import type { Db } from '../database/tables.ts';
import type { McpAuthorizationsTable } from './key-tables.ts';

/** What an account allows an MCP client to do. */
export interface McpAuthorization extends Omit<Selectable<McpAuthorizationsTable>, 'platforms'> {
  /** Null: all platforms. */
  readonly platforms: ReadonlySet<Platform> | null;
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
  const { id, redirectUri, sessionId, createdAt } = authorization;
  const platforms = platformsText(authorization.platforms);
  await db
    .insertInto('mcpAuthorizations')
    .values({ ...authorization, platforms })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ redirectUri, platforms, sessionId, createdAt }),
    )
    .execute();
  await db.deleteFrom('agentAuthorizations').where('authorizationId', '=', id).execute();
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
  return withAgents(rows)[0];
}

/** Oldest first. */
export async function listAuthorizations(db: Db, accountId: string): Promise<ListedAuthorization[]> {
  return withAgents(await authorizations(db, accountId).execute());
}

/** Deletes an authorization with its memberships, grants and tokens. */
export async function deleteAuthorization(db: Db, authorizationId: string): Promise<void> {
  await db.deleteFrom('mcpAuthorizations').where('id', '=', authorizationId).execute();
}

export async function touchAuthorization(db: Db, authorizationId: string, usedAt: string): Promise<void> {
  await db
    .updateTable('mcpAuthorizations')
    .set({ lastUsedAt: usedAt })
    .where('id', '=', authorizationId)
    .execute();
}

/** Parses the stored form of platforms. */
export function platformsFrom(text: string | null): ReadonlySet<Platform> | null {
  return text === null ? null : new Set(JSON.parse(text) as Platform[]);
}

export function platformsText(platforms: ReadonlySet<Platform> | null): string | null {
  return platforms && JSON.stringify([...platforms]);
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

type Row = Awaited<ReturnType<ReturnType<typeof authorizations>['execute']>>[number];

function withAgents(rows: readonly Row[]): ListedAuthorization[] {
  return withAgentIds(rows).map((authorization) => ({
    ...authorization,
    platforms: platformsFrom(authorization.platforms),
  }));
}
