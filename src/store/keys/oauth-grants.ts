import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { DEFAULT_AGENT_FIRST, withAgentIds } from '../agents/agents.ts';
import { deleteSome } from '../database/delete-some.ts';
import { changeRows, type Db, deleteRows, findRow, type Row } from '../database/rows.ts';

export type OauthGrant = Row<'oauthGrants'>;
export type OauthToken = Row<'oauthTokens'>;

/** A grant with what it allows its client to do. */
export interface LiveGrant
  extends Pick<OauthGrant, 'id' | 'accountId' | 'authorizationId' | 'resource'>,
    Pick<Row<'mcpAuthorizations'>, 'clientId' | 'platforms'> {
  readonly agentIds: readonly string[];
}

/** A grant found by its code or by a token. */
export interface FoundGrant extends OauthGrant, Pick<Row<'mcpAuthorizations'>, 'clientId' | 'platforms'> {
  /** The platforms that its access token is valid for. */
  readonly reach: ReadonlySet<Platform> | null;
}

/** A refresh token being spent. */
interface Spending {
  readonly grantId: string;
  readonly tokenHash: string;
  readonly sealedSuccessor: string;
  readonly spentAt: string;
  /** Successors of tokens spent before this time can no longer be repeated and are deleted. */
  readonly sealedBefore: string;
}

export async function findGrantByCode(db: Db, codeHash: string): Promise<FoundGrant | undefined> {
  const row = await grants(db).where('oauthGrants.codeHash', '=', codeHash).executeTakeFirst();
  return row && found(row);
}

/** Returns a token, including spent and expired ones, with its grant. */
export async function findToken(
  db: Db,
  tokenHash: string,
): Promise<{ readonly token: OauthToken; readonly grant: FoundGrant } | undefined> {
  const token = await findRow(db, 'oauthTokens', { tokenHash });
  const row = token && (await grants(db).where('oauthGrants.id', '=', token.grantId).executeTakeFirst());
  return row && { token, grant: found(row) };
}

/**
 * Marks a refresh token as spent and stores its successor. The refresh before it can no longer be repeated. Returns
 * false if the token was already spent or is gone. Call it in a transaction.
 */
export async function spendToken(db: Db, spending: Spending): Promise<boolean> {
  const { grantId, tokenHash, sealedSuccessor, spentAt, sealedBefore } = spending;
  const spent = { spentAt, sealedSuccessor };
  if (!(await changeRows(db, 'oauthTokens', { tokenHash, spentAt: null }, spent))) return false;
  await db
    .updateTable('oauthTokens')
    .set({ sealedSuccessor: null })
    .where('sealedSuccessor', 'is not', null)
    .where('tokenHash', '!=', tokenHash)
    .where((where) => where.or([where('grantId', '=', grantId), where('spentAt', '<', sealedBefore)]))
    .execute();
  return true;
}

/** Prevents repeated refreshes of a grant, or of all grants of an account. */
export async function forgetSuccessors(db: Db, of: 'grantId' | 'accountId', id: string): Promise<void> {
  await db
    .updateTable('oauthTokens')
    .set({ sealedSuccessor: null })
    .where(of, '=', id)
    .where('sealedSuccessor', 'is not', null)
    .execute();
}

/** Deletes up to `limit` sealed successors of tokens that were spent before a time. Returns their number. */
export async function deleteOldSuccessors(db: Db, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update oauth_tokens set sealed_successor = null where token_hash in (
      select token_hash from oauth_tokens where sealed_successor is not null and spent_at < ${before}
      limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Gives a grant new tokens, limited to the platforms in `narrowedTo` unless it is null. The grant's existing access
 * tokens become invalid. Call it in a transaction.
 */
export async function replaceTokens(
  db: Db,
  grantId: string,
  tokens: readonly OauthToken[],
  narrowedTo: ReadonlySet<Platform> | null,
): Promise<void> {
  await deleteRows(db, 'oauthTokens', { grantId, kind: 'access' });
  await db.insertInto('oauthTokens').values(tokens).execute();
  await changeRows(db, 'oauthGrants', { id: grantId }, { narrowedTo });
}

/** Invalidates the account's unredeemed codes and prevents repeated refreshes by its clients. */
export async function endOpenExchanges(db: Db, accountId: string): Promise<void> {
  await deleteRows(db, 'oauthGrants', { accountId, redeemedAt: null });
  await forgetSuccessors(db, 'accountId', accountId);
}

/** Deletes all but the `keep` most recently used grants of an authorization, either redeemed ones or codes. */
export async function pruneGrants(
  db: Db,
  authorizationId: string,
  kind: 'redeemed' | 'codes',
  keep: number,
): Promise<void> {
  const surplus = db
    .selectFrom('oauthGrants')
    .select('id')
    .where('authorizationId', '=', authorizationId)
    .where('redeemedAt', kind === 'redeemed' ? 'is not' : 'is', null)
    .orderBy(sql`(select max(created_at) from oauth_tokens where grant_id = oauth_grants.id)`, 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(-1)
    .offset(keep);
  await db.deleteFrom('oauthGrants').where('id', 'in', surplus).execute();
}

/** Returns the grants that may have tokens, of one account or of all, with what they currently allow. */
export async function listLiveGrants(db: Db, accountId?: string): Promise<LiveGrant[]> {
  const all = db
    .selectFrom('oauthGrants')
    .innerJoin('mcpAuthorizations', 'mcpAuthorizations.id', 'oauthGrants.authorizationId')
    .innerJoin('agentAuthorizations', 'agentAuthorizations.authorizationId', 'mcpAuthorizations.id')
    .innerJoin('agents', 'agents.id', 'agentAuthorizations.agentId')
    .select([
      'oauthGrants.id',
      'oauthGrants.accountId',
      'oauthGrants.authorizationId',
      'oauthGrants.resource',
      'oauthGrants.narrowedTo',
    ])
    .select(['mcpAuthorizations.clientId', 'mcpAuthorizations.platforms', 'agents.id as agentId'])
    .where('oauthGrants.redeemedAt', 'is not', null)
    .orderBy(DEFAULT_AGENT_FIRST);
  const rows = await (accountId === undefined
    ? all
    : all.where('oauthGrants.accountId', '=', accountId)
  ).execute();
  return withAgentIds(rows).map(({ platforms, narrowedTo, ...grant }) => ({
    ...grant,
    platforms: reachOf(platforms, narrowedTo),
  }));
}

/** Returns the unexpired access tokens of one account or of all. */
export async function listAccessTokens(db: Db, nowIso: string, accountId?: string): Promise<OauthToken[]> {
  const all = db
    .selectFrom('oauthTokens')
    .selectAll()
    .where('kind', '=', 'access')
    .where('expiresAt', '>', nowIso);
  return await (accountId === undefined ? all : all.where('accountId', '=', accountId)).execute();
}

/** Deletes up to `limit` tokens that expired before a time. Returns their number. */
export async function deleteExpiredTokens(db: Db, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from oauth_tokens where token_hash in (
      select token_hash from oauth_tokens where expires_at < ${before} limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes up to `limit` grants without tokens whose codes expired before a time. Returns their number. */
export async function deleteEmptyGrants(db: Db, before: string, limit: number): Promise<number> {
  const isEmpty = sql`not exists (select 1 from oauth_tokens where grant_id = oauth_grants.id)`;
  return await deleteSome(db, 'oauth_grants', sql`code_expires_at < ${before} and ${isEmpty}`, limit);
}

function found(row: Omit<FoundGrant, 'reach'>): FoundGrant {
  return { ...row, reach: reachOf(row.platforms, row.narrowedTo) };
}

/** Returns the platforms that the authorization allows and the last refresh kept. */
function reachOf(
  allowed: ReadonlySet<Platform> | null,
  narrowedTo: ReadonlySet<Platform> | null,
): ReadonlySet<Platform> | null {
  if (allowed === null || narrowedTo === null) return allowed ?? narrowedTo;
  return new Set([...allowed].filter((platform) => narrowedTo.has(platform)));
}

function grants(db: Db) {
  return db
    .selectFrom('oauthGrants')
    .innerJoin('mcpAuthorizations', 'mcpAuthorizations.id', 'oauthGrants.authorizationId')
    .selectAll('oauthGrants')
    .select(['mcpAuthorizations.clientId', 'mcpAuthorizations.platforms']);
}
