import { sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import { listBots, type StoredBot } from '../logins/bot-tokens.ts';
import { listSealedConnections, type SealedConnection } from '../logins/login-connections.ts';
import { listDids, type StoredDid } from '../logins/sip-dids.ts';

/** Deleted logins that may still be running and must be told that their rows are gone. */
export interface GoneLogins {
  readonly bots: readonly StoredBot[];
  readonly dids: readonly StoredDid[];
  /** Connections with credentials of their own. */
  readonly connections: readonly SealedConnection[];
}

/** Tables whose rows grant access to the account, or forward its data elsewhere. */
const OF_ACCOUNT = [
  'identities',
  'sign_ins',
  'invite_links',
  'known_browsers',
  // Includes their grants, codes, tokens and memberships.
  'mcp_authorizations',
  'connection_states',
  'connections',
  'bot_tokens',
  'sip_dids',
  'sip_trunks',
  'voice_configs',
] as const;

/** The same, for tables by agent. */
const OF_AGENTS = ['agent_providers', 'agent_accounts'] as const;

/** Returns the account's logins, before they are deleted. */
export async function loginsOf(db: Db, accountId: string): Promise<GoneLogins> {
  return {
    bots: await listBots(db, accountId),
    dids: await listDids(db, accountId),
    connections: await listSealedConnections(db, accountId),
  };
}

/**
 * Removes all access to and from the account except its password and sessions: keys, clients, identities, providers,
 * platform logins. Agents and messages remain. Call it in a transaction.
 */
export async function deleteAccess(db: Db, accountId: string, nowIso: string): Promise<GoneLogins> {
  const gone = await loginsOf(db, accountId);
  const agents = sql`select id from agents where account_id = ${accountId}`;
  // Bearers are deleted with their keys; other keys stay on record as revoked.
  await sql`
    delete from api_keys where id in (
      select key_id from internal_bearers where agent_id in (${agents}))`.execute(db);
  await sql`delete from agent_keys where agent_id in (${agents})`.execute(db);
  await sql`
    update api_keys set revoked_at = ${nowIso} where account_id = ${accountId} and revoked_at is null`.execute(
    db,
  );
  for (const table of OF_AGENTS)
    await sql`delete from ${sql.table(table)} where agent_id in (${agents})`.execute(db);
  for (const table of OF_ACCOUNT)
    await sql`delete from ${sql.table(table)} where account_id = ${accountId}`.execute(db);
  return gone;
}

/** Number of credentials of each kind that stay valid when the password changes. */
export interface StandingAccess {
  readonly keys: number;
  readonly clients: number;
  readonly identities: number;
}

export async function countAccess(db: Db, accountId: string): Promise<StandingAccess> {
  const { rows } = await sql<StandingAccess>`
    select
      (select count(*) from api_keys where account_id = ${accountId} and revoked_at is null) as keys,
      (select count(*) from mcp_authorizations where account_id = ${accountId}) as clients,
      (select count(*) from identities where account_id = ${accountId}) as identities`.execute(db);
  return rows[0]!;
}
