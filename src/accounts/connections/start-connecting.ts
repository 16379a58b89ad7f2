import { hash } from 'node:crypto';
import { GatewayError } from '../../base/errors.ts';
import { isoAfter } from '../../base/time.ts';
import { hashToken, newToken } from '../../base/tokens.ts';
import { insertConnectionState } from '../../store/logins/connection-states.ts';
import { findOAuthConnection } from '../../store/logins/oauth-connections.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { callbackUrl, type OfferedPlatform, offeredPlatform } from './offered-platform.ts';

/** How long a person has to sign in at the platform. */
export const CONNECT_DEADLINE_MS = 600_000;
/** Connections in progress per account. A new one voids the oldest. */
const MAX_PENDING = 20;

export interface WantedConnection {
  /** Name of the platform. */
  readonly platform: string;
  /** The connection to renew; null: a new one. */
  readonly connectionId: string | null;
  /** Page of the gateway to return to; null: none. */
  readonly returnTo: string | null;
}

/** Who may start: a person in a browser, or a program with a settings key. */
export interface Starter extends Actor {
  readonly kind: 'session' | 'settings';
}

/**
 * Starts connecting an account to a platform. Returns the URL at which its owner signs in there, once and within 10
 * minutes. Throws `oauth_not_offered`, `platform_not_configured`, `email_not_verified`, `connection_not_found`.
 */
export async function startConnecting(
  deps: ConnectionDeps,
  { accountId, kind, credentialId }: Starter,
  { platform: name, connectionId, returnTo }: WantedConnection,
): Promise<string> {
  const offered = offeredPlatform(deps, name);
  const { platform } = offered;
  const { db, secrets } = deps.store;
  const state = newToken();
  const codeVerifier = offered.client.pkce ? newToken() : null;
  const createdAt = deps.clock.nowIso();
  await db.transaction().execute(async (trx) => {
    await requireVerifiedAddress(trx, accountId);
    if (connectionId !== null) {
      const known = await findOAuthConnection(trx, platform, connectionId);
      if (known?.accountId !== accountId) throw new GatewayError('connection_not_found');
    }
    const email = (await findAccount(trx, accountId))?.email ?? null;
    const pending = {
      stateHash: hashToken(state),
      accountId,
      email,
      credentialKind: kind,
      credentialId,
      provider: platform,
      connectionId,
      returnTo,
      codeVerifier,
      createdAt,
      expiresAt: isoAfter(createdAt, CONNECT_DEADLINE_MS),
    };
    await insertConnectionState(trx, secrets, pending, MAX_PENDING);
  });
  return authorizationUrl(offered, callbackUrl(deps, platform), state, codeVerifier);
}

function authorizationUrl(
  { client }: OfferedPlatform,
  redirectUri: string,
  state: string,
  codeVerifier: string | null,
): string {
  const url = new URL(client.authorizationEndpoint);
  const challenge =
    codeVerifier === null
      ? {}
      : { code_challenge: hash('sha256', codeVerifier, 'base64url'), code_challenge_method: 'S256' };
  const parameters = {
    ...client.parameters,
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(client.scope === '' ? {} : { scope: client.scope }),
    state,
    ...challenge,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
