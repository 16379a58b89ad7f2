import type { Platform } from '../../base/platform.ts';
import type { ConnectsByOAuth } from '../../connectors/contract/oauth.ts';
import {
  listOAuthConnections,
  type OAuthConnection,
  openTokens,
} from '../../store/logins/oauth-connections.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { keepStatus } from './connection-status.ts';
import type { Connections } from './connections.ts';

const PAGE_SIZE = 100;

/** Hands every stored connection over to its connector. Runs once at start, when the connectors have started. */
export async function handOverConnections(connections: Connections): Promise<void> {
  for (const platform of connections.tokens.keys()) {
    const oauth = connections.connectors.get(platform)?.provides.oauth;
    if (oauth !== undefined) await handOverAll(connections, platform, oauth);
  }
}

async function handOverAll(
  connections: Connections,
  platform: Platform,
  oauth: ConnectsByOAuth,
): Promise<void> {
  const { db, secrets } = connections.store;
  let last = '';
  for (;;) {
    const page = await listOAuthConnections(db, platform, last, PAGE_SIZE);
    for (const connection of page) {
      if (openTokens(secrets, connection) !== null) handOver(connections, oauth, connection);
      else if (connection.status === 'ok')
        await keepStatus(connections, platform, connection.id, 'The tokens cannot be decrypted');
    }
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)!.id;
  }
}

/** Hands one connection over. A connector that throws affects no other connection. */
export function handOver(
  { onFailure }: Pick<ConnectionDeps, 'onFailure'>,
  oauth: ConnectsByOAuth,
  { id, accountId, provider, providerUserId, label, email, scopes }: OAuthConnection,
): void {
  try {
    const granted = (scopes ?? '').split(/[\s,]+/).filter(Boolean);
    oauth.connected?.({ id, accountId, providerUserId, label, email, scopes: granted });
  } catch (error) {
    onFailure(provider as Platform, 'a connection could not be handed over', `${error}`);
  }
}
