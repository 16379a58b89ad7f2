import { assertBelow, CAPS } from '../accounts/account/caps.ts';
import { requireVerifiedAddress } from '../accounts/people/verified-address.ts';
import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Platform } from '../base/platform.ts';
import { isoAfter } from '../base/time.ts';
import { hashToken, newToken } from '../base/tokens.ts';
import { findAgent } from '../store/agents/agents.ts';
import type { Db } from '../store/database/tables.ts';
import {
  findAuthorization,
  type ListedAuthorization,
  type McpAuthorization,
  putAuthorization,
} from '../store/keys/mcp-authorizations.ts';
import { findClient } from '../store/keys/oauth-clients.ts';
import { insertGrant, pruneGrants } from '../store/keys/oauth-grants.ts';
import { countAuthorizations } from '../store/people/account-counts.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { hasSession } from '../store/people/sessions.ts';
import { type AuthorizationDomain, CODE_MS } from './authorization-domain.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { isLoopbackRedirect, isPrivateUseRedirect, redirectTo } from './redirect-uris.ts';
import { isWithin, namesOf } from './scope-names.ts';

/** Codes of one authorization that wait to be redeemed. */
const MAX_OPEN_CODES = 10;

/** What somebody lets a client do. */
export interface Choice {
  /** Null: all of them. */
  readonly platforms: ReadonlySet<Platform> | null;
  /** At least one. */
  readonly agentIds: readonly string[];
}

/**
 * What the account let the client do before, if that goes for this request too: it would be sent to the same place, for
 * no more than was said yes to. A client that names no platforms asks for those it has. On loopback any program may
 * listen at another port, or at the same one later: there the yes goes for the very address and for the session in which
 * it was said. Any program may claim a scheme like `app://`, so there people are asked each time (RFC 8252, section 8.6).
 * Null: somebody has to be asked.
 */
export function rememberedFor(
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
 * Lets a client act for an account, with this scope from now on, also by tokens that it has already. Returns where the
 * browser brings it the code. Throws `agent_not_found`, `client_unknown` for one that is gone meanwhile, `cap_reached`,
 * `email_not_verified`, and `consent_outdated` when the session ended meanwhile.
 */
export async function approve(
  domain: AuthorizationDomain,
  actor: Actor,
  request: AuthorizationRequest,
  { platforms, agentIds }: Choice,
): Promise<string> {
  const { client, redirectUri } = request;
  const nowIso = domain.clock.nowIso();
  const code = await domain.store.db.transaction().execute(async (trx) => {
    await requireOwner(trx, actor);
    if (!(await findClient(trx, client.clientId))) throw new GatewayError('client_unknown');
    await requireAgents(trx, actor.accountId, agentIds);
    const former = await findAuthorization(trx, actor.accountId, client.clientId);
    if (!former)
      assertBelow(CAPS.authorizations, await countAuthorizations(trx, actor.accountId), 'MCP clients');
    const authorization: McpAuthorization = {
      id: former?.id ?? newId('aut'),
      accountId: actor.accountId,
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
    await audit(trx, actor, {
      action: 'mcp_authorization.approve',
      subject: client.clientId,
      detail,
      createdAt: nowIso,
    });
    return await issueCode(trx, domain, authorization, request);
  });
  await domain.grants.refresh(actor.accountId);
  return answerWith(domain, request, code);
}

/** As `approve`, for a client whom the account lets do this already. */
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

/** Reading what a client says of itself takes time, in which the session may end; a grant would outlive it. */
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
  await insertGrant(db, {
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

/** `iss` tells a client of several servers which one answers (RFC 9207). */
function answerWith(
  { issuer }: AuthorizationDomain,
  { redirectUri, state }: AuthorizationRequest,
  code: string,
): string {
  return redirectTo(redirectUri, { code, state, iss: issuer() });
}
