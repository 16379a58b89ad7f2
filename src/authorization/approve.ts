import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { requireVerifiedAddress } from '../accounts/people/verified-address.ts';
import { GatewayError } from '../base/errors.ts';
import { hashToken, newId, newToken } from '../base/ids.ts';
import type { Platform } from '../base/platform.ts';
import { isoAfter } from '../base/time.ts';
import { findAgent } from '../store/agents/agents.ts';
import { countRows, type Db, deleteRows, findRow, insertRow } from '../store/database/rows.ts';
import {
  findAuthorization,
  type ListedAuthorization,
  type McpAuthorization,
  putAuthorization,
} from '../store/keys/mcp-authorizations.ts';
import { pruneGrants } from '../store/keys/oauth-grants.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { hasSession } from '../store/people/sessions.ts';
import { type AuthorizationDomain, CODE_MS } from './authorization-domain.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { isLoopbackRedirect, isPrivateUseRedirect, redirectTo } from './redirect-uris.ts';
import { isWithin, namesOf } from './scope-names.ts';

/** Limit of unredeemed codes per authorization. */
const MAX_OPEN_CODES = 10;

/** What a person allows a client to do. */
export interface Choice {
  /** Null: all platforms. */
  readonly platforms: ReadonlySet<Platform> | null;
  /** At least one agent. */
  readonly agentIds: readonly string[];
}

/**
 * Returns the account's earlier consent if it covers this request, which then needs no consent page; null when the
 * person must be asked.
 * An earlier consent covers exactly the same redirect URI and no more platforms than it approved. A request that names
 * no platforms asks for the approved ones. On loopback any program may listen on another port, or on the same one
 * later, so the consent covers only the session that gave it. Private-use schemes like `app://` are never covered,
 * because any program may claim one (RFC 8252, section 8.6).
 */
export function approvedBefore(
  former: ListedAuthorization | undefined,
  { redirectUri, platforms }: AuthorizationRequest,
  sessionId: string,
): McpAuthorization | null {
  if (!former || former.agentIds.length === 0) return null;
  if (former.redirectUri !== redirectUri || isPrivateUseRedirect(redirectUri)) return null;
  if (isLoopbackRedirect(redirectUri) && former.sessionId !== sessionId) return null;
  return platforms === null || isWithin(platforms, former.platforms) ? former : null;
}

/**
 * Authorizes a client to act for an account, and returns the URL that takes the code to the client. The new scope also
 * applies to the tokens that the client already has. Throws `agent_not_found`, `client_unknown` when the client was
 * deleted meanwhile, `cap_reached`, `email_not_verified`, and `consent_outdated` when the session ended meanwhile.
 */
export async function approve(
  domain: AuthorizationDomain,
  actor: Actor,
  request: AuthorizationRequest,
  { platforms, agentIds }: Choice,
): Promise<string> {
  const { accountId } = actor;
  const { client, redirectUri } = request;
  const nowIso = domain.clock.nowIso();
  const code = await domain.store.db.transaction().execute(async (trx) => {
    await requireOwner(trx, actor);
    if (!(await findRow(trx, 'oauthClients', { clientId: client.clientId })))
      throw new GatewayError('client_unknown');
    await requireAgents(trx, accountId, agentIds);
    const former = await findAuthorization(trx, accountId, client.clientId);
    if (!former)
      assertBelow(
        CAPS.authorizations,
        await countRows(trx, 'mcpAuthorizations', { accountId }),
        'MCP clients',
      );
    const authorization: McpAuthorization = {
      id: former?.id ?? newId('aut'),
      accountId,
      clientId: client.clientId,
      redirectUri,
      platforms,
      agentIds,
      sessionId: actor.credentialId,
      createdAt: nowIso,
      lastUsedAt: former?.lastUsedAt ?? null,
    };
    await putAuthorization(trx, authorization);
    const detail = { client: client.clientName, redirectUri, platforms: namesOf(platforms), agentIds };
    await audit(trx, actor, { action: 'mcp_authorization.approve', subject: client.clientId, detail });
    return await issueCode(trx, domain, authorization, request);
  });
  await domain.grants.refresh(accountId);
  return answerWith(domain, request, code);
}

/** Like `approve`, for a client whose authorization already covers the request. */
export async function approveAgain(
  domain: AuthorizationDomain,
  actor: Actor,
  authorization: McpAuthorization,
  request: AuthorizationRequest,
): Promise<string> {
  const code = await domain.store.db.transaction().execute(async (trx) => {
    await requireOwner(trx, actor);
    return await issueCode(trx, domain, authorization, request);
  });
  return answerWith(domain, request, code);
}

/**
 * Throws when the session has ended. Fetching a client's document takes time in which that can happen, and the grant
 * would outlive the session.
 */
async function requireOwner(db: Db, { accountId, credentialId }: Actor): Promise<void> {
  if (!(await hasSession(db, credentialId))) throw new GatewayError('consent_outdated');
  await requireVerifiedAddress(db, accountId);
}

async function requireAgents(db: Db, accountId: string, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) throw new GatewayError('agent_not_found');
  for (const agentId of agentIds)
    if (!(await findAgent(db, accountId, agentId))) throw new GatewayError('agent_not_found');
}

async function issueCode(
  db: Db,
  { clock, resource }: AuthorizationDomain,
  { id: authorizationId, accountId }: McpAuthorization,
  { redirectUri, codeChallenge }: AuthorizationRequest,
): Promise<string> {
  const code = `mcc_${newToken()}`;
  const nowIso = clock.nowIso();
  await insertRow(db, 'oauthGrants', {
    id: newId('grt'),
    accountId,
    authorizationId,
    redirectUri,
    codeHash: hashToken(code),
    codeChallenge,
    resource: resource(),
    createdAt: nowIso,
    codeExpiresAt: isoAfter(nowIso, CODE_MS),
    redeemedAt: null,
    narrowedTo: null,
  });
  await pruneGrants(db, authorizationId, 'codes', MAX_OPEN_CODES);
  return code;
}

/** Returns the redirect with the code. `iss` tells clients that use several servers which one answered (RFC 9207). */
function answerWith(
  { issuer }: AuthorizationDomain,
  { redirectUri, state }: AuthorizationRequest,
  code: string,
): string {
  return redirectTo(redirectUri, { code, state, iss: issuer() });
}

/**
 * Revokes a client's authorization and removes the client from all agents. When this resolves, its tokens are invalid
 * and its connections are closed. Throws `authorization_not_found`.
 */
export async function revokeAuthorization(
  { store, grants }: AuthorizationDomain,
  actor: Actor,
  clientId: string,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const found = await findAuthorization(trx, actor.accountId, clientId);
    if (!found) throw new GatewayError('authorization_not_found');
    await deleteRows(trx, 'mcpAuthorizations', { id: found.id });
    const detail = { client: found.clientName };
    await audit(trx, actor, { action: 'mcp_authorization.revoke', subject: clientId, detail });
  });
  await grants.refresh(actor.accountId);
}
