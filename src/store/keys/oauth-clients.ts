import { sql } from 'kysely';
import { type Db, putRow, type Row } from '../database/rows.ts';

/** An MCP client, as registered or as described by the metadata document at its id. */
export type OauthClient = Row<'oauthClients'>;

/** Adds a client or replaces its data. */
export async function putClient(db: Db, client: OauthClient): Promise<void> {
  await putRow(db, 'oauthClients', client, { key: ['clientId'], kept: ['registeredAt'] });
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
