import type { Platform } from '../../base/platform.ts';
import type { ConnectsByOAuth } from '../../connectors/contract/oauth.ts';
import type { ConnectsByPairing, PairedConnection } from '../../connectors/contract/pairing.ts';
import type { LoginConnection } from '../../store/logins/login-connections.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { tellConnector } from './tell-connector.ts';

type Failures = Pick<ConnectionDeps, 'onFailure'>;

const NOT_HANDED_OVER = 'a connection could not be handed over';

/** Hands a connection by OAuth over to its connector. */
export function handOver(
  failures: Failures,
  oauth: ConnectsByOAuth,
  { id, accountId, provider, providerUserId, label, email, scopes }: LoginConnection,
): void {
  const granted = (scopes ?? '').split(/[\s,]+/).filter(Boolean);
  const connection = { id, accountId, providerUserId, label, email, scopes: granted };
  tellConnector(failures, provider as Platform, NOT_HANDED_OVER, () => oauth.connected?.(connection));
}

/** Hands a connection by pairing over to its connector. */
export function handOverPaired(
  failures: Failures,
  platform: Platform,
  pairing: ConnectsByPairing,
  connection: PairedConnection,
): void {
  tellConnector(failures, platform, NOT_HANDED_OVER, () => pairing.connected(connection));
}
