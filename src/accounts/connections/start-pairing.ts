import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import type { AskedPairing, ConnectsByPairing } from '../../connectors/contract/pairing.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { ownerOf } from './connection-owner.ts';
import { openState, ownConnection, type Starter } from './connection-state.ts';
import { pairedUserId } from './paired-connection.ts';

/** A platform whose servers pair with accounts. */
export interface PairingPlatform {
  readonly platform: Platform;
  readonly pairing: ConnectsByPairing;
}

/** Returns the platform with this name, if its servers pair. */
export function pairingPlatform(
  connectors: ConnectionDeps['connectors'],
  name: string,
): PairingPlatform | null {
  const platform = name as Platform;
  const pairing = connectors.get(platform)?.provides.pairing;
  return pairing === undefined ? null : { platform, pairing };
}

/** What a person wants who starts here. */
export interface WantedPairing {
  readonly serverUrl: string;
  /** The connection to renew; null: a new one, or the account's own to this server. */
  readonly connectionId: string | null;
  /** Page of the gateway to return to; null: none. */
  readonly returnTo: string | null;
}

/**
 * Starts pairing with a server. Returns the URL of the page on which the server asks its person, once and within 10
 * minutes. Throws `server_invalid`, `email_not_verified`, `connection_not_found`, `connection_differs`.
 */
export async function startPairing(
  deps: ConnectionDeps,
  starter: Starter,
  { platform, pairing }: PairingPlatform,
  { serverUrl, connectionId, returnTo }: WantedPairing,
): Promise<string> {
  return await agree(deps, starter, platform, { asked: pairing.wanted(serverUrl), connectionId, returnTo });
}

/**
 * Agrees to what a server asked for. Returns the URL at which it goes on, once and within 10 minutes. Throws
 * `pairing_invalid`, `server_invalid`, `email_not_verified`.
 */
export async function agreeToPairing(
  deps: ConnectionDeps,
  starter: Starter,
  { platform, pairing }: PairingPlatform,
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const asked = pairing.asked(query);
  return await agree(deps, starter, platform, { asked, connectionId: null, returnTo: null });
}

interface Agreement extends Omit<WantedPairing, 'serverUrl'> {
  readonly asked: AskedPairing;
}

async function agree(
  deps: ConnectionDeps,
  starter: Starter,
  platform: Platform,
  { asked, connectionId, returnTo }: Agreement,
): Promise<string> {
  const { accountId } = starter;
  const { server } = asked;
  const { state, owner } = await deps.store.db.transaction().execute(async (trx) => {
    if (connectionId !== null) {
      const { providerUserId } = await ownConnection(trx, accountId, platform, connectionId);
      if (providerUserId !== pairedUserId(accountId, server))
        throw new GatewayError('connection_differs', 'The connection to renew is to another server');
    }
    const visit = { provider: platform, connectionId, returnTo, codeVerifier: null, server };
    return {
      state: await openState(deps, trx, starter, visit),
      owner: await ownerOf(trx, accountId),
    };
  });
  return asked.agreed({ state, gatewayUrl: deps.publicUrl(), owner });
}
