import type { Platform } from '../../base/platform.ts';
import { settledWithin } from '../../base/time.ts';
import {
  allLoginConnections,
  type LoginConnection,
  openTokens,
} from '../../store/logins/login-connections.ts';
import { AccessTokens } from './access-tokens.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { keepStatus } from './connection-status.ts';
import { handOver, handOverPaired } from './hand-over.ts';
import { openPaired } from './paired-connection.ts';
import { pairingsOf } from './pairings.ts';

/** The connections of all accounts to the platforms that are connected by OAuth or pairing. */
export interface Connections extends ConnectionDeps {
  /** The access tokens of each platform with OAuth. */
  readonly tokens: ReadonlyMap<Platform, AccessTokens>;
}

/** Gives every connector with OAuth its source of tokens, and every one with pairing the place for what was paired. */
export function openConnections(deps: ConnectionDeps): Connections {
  const tokens = new Map<Platform, AccessTokens>();
  for (const [platform, { provides }] of deps.connectors) {
    provides.pairing?.onPairings(pairingsOf(deps, platform, provides.pairing));
    if (provides.oauth === undefined) continue;
    const own = new AccessTokens(deps, platform, provides.oauth);
    tokens.set(platform, own);
    provides.oauth.onConnections?.({
      accessToken: (connectionId) => own.accessToken(connectionId),
      refused: (connectionId, token) => own.refused(connectionId, token),
      report: (connectionId, status) => void keepStatus(deps, platform, connectionId, status),
    });
  }
  return { ...deps, tokens };
}

/** Waits until refreshed tokens are stored, but at most `deadlineMs`. Call it when the connectors are closed. */
export async function closeConnections({ clock, tokens }: Connections, deadlineMs: number): Promise<void> {
  const all = [...tokens.values()].map((each) => each.settled());
  await settledWithin(clock, deadlineMs, all);
}

/** Hands every stored connection over to its connector. Runs once at start, when the connectors have started. */
export async function handOverConnections(connections: Connections): Promise<void> {
  const { secrets } = connections.store;
  for (const [platform, { provides }] of connections.connectors) {
    const { oauth, pairing } = provides;
    if (oauth !== undefined)
      await handOverAll(connections, platform, (connection) => {
        if (openTokens(secrets, connection) === null) return false;
        handOver(connections, oauth, connection);
        return true;
      });
    if (pairing !== undefined)
      await handOverAll(connections, platform, (connection) => {
        const paired = openPaired(secrets, connection);
        if (paired !== null) handOverPaired(connections, platform, pairing, paired);
        return paired !== null;
      });
  }
}

/** `hand` returns false for a connection whose credentials cannot be read. */
async function handOverAll(
  connections: Connections,
  platform: Platform,
  hand: (connection: LoginConnection) => boolean,
): Promise<void> {
  for await (const connection of allLoginConnections(connections.store.db, platform)) {
    if (hand(connection) || connection.status !== 'ok') continue;
    await keepStatus(connections, platform, connection.id, 'The credentials cannot be decrypted');
  }
}
