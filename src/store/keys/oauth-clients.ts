import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { OauthClientsTable } from './key-tables.ts';

/** An MCP client, as registered or as described by the metadata document at its id. */
export interface OauthClient extends Omit<Selectable<OauthClientsTable>, 'redirectUris'> {
  readonly redirectUris: readonly string[];
}

/** Adds a client or replaces its data. */
export async function putClient(db: Db, client: OauthClient): Promise<void> {
  const { clientId, ...fields } = client;
  const row = { ...fields, redirectUris: JSON.stringify(client.redirectUris) };
  const { registeredAt: _first, ...renewed } = row;
  await db
    .insertInto('oauthClients')
    .values({ clientId, ...row })
    .onConflict((conflict) => conflict.column('clientId').doUpdateSet(renewed))
    .execute();
}

export async function findClient(db: Db, clientId: string): Promise<OauthClient | undefined> {
  const row = await db
    .selectFrom('oauthClients')
    .selectAll()
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  return row && { ...row, redirectUris: JSON.parse(row.redirectUris) as string[] };
}

/** Deletes all but the `keep` newest clients without an authorization. */
export async function pruneUnusedClients(db: Db, keep: number): Promise<void> {
  const surplus = db
    .selectFrom('oauthClients')
    .leftJoin('mcpAuthorizations', 'mcpAuthorizations.clientId', 'oauthClients.clientId')
    .select('oauthClients.clientId')
    .where('mcpAuthorizations.id', 'is', null)
    .orderBy(sql`oauth_clients.rowid`, 'desc')
    .limit(-1)
    .offset(keep);
  await db.deleteFrom('oauthClients').where('clientId', 'in', surplus).execute();
}
