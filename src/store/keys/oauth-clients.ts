import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { OauthClientsTable } from './key-tables.ts';

/** An MCP client as it registered itself, or as the document that its id points to says. */
export interface OauthClient extends Omit<Selectable<OauthClientsTable>, 'redirectUris'> {
  readonly redirectUris: readonly string[];
}

/** Takes the place of what was known of a client of this id. */
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

/** Of the clients that nobody has authorized, only the `keep` that came last stay. */
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
