import { hash } from 'node:crypto';
import { newToken } from '../../base/tokens.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { openState, ownConnection, type Starter } from './connection-state.ts';
import { callbackUrl, type OfferedPlatform, offeredPlatform } from './offered-platform.ts';

export interface WantedConnection {
  /** Name of the platform. */
  readonly platform: string;
  /** The connection to renew; null: a new one. */
  readonly connectionId: string | null;
  /** Page of the gateway to return to; null: none. */
  readonly returnTo: string | null;
}

/**
 * Starts connecting an account to a platform. Returns the URL at which its owner signs in there, once and within 10
 * minutes. Throws `oauth_not_offered`, `platform_not_configured`, `email_not_verified`, `connection_not_found`.
 */
export async function startConnecting(
  deps: ConnectionDeps,
  starter: Starter,
  { platform: name, connectionId, returnTo }: WantedConnection,
): Promise<string> {
  const offered = offeredPlatform(deps, name);
  const { platform } = offered;
  const codeVerifier = offered.client.pkce ? newToken() : null;
  const state = await deps.store.db.transaction().execute(async (trx) => {
    if (connectionId !== null) await ownConnection(trx, starter.accountId, platform, connectionId);
    const visit = { provider: platform, connectionId, returnTo, codeVerifier, server: null };
    return await openState(deps, trx, starter, visit);
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
