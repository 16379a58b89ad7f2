import type { Platform } from '../../base/platform.ts';
import { settledWithin } from '../../base/time.ts';
import type { ConnectsByOAuth } from '../../connectors/contract/oauth.ts';
import {
  listOAuthConnections,
  type OAuthConnection,
  openTokens,
} from '../../store/logins/oauth-connections.ts';
import { AccessTokens } from './access-tokens.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { keepStatus } from './connection-status.ts';

/** The connections of all accounts to the platforms that are connected by OAuth. */
export interface Connections extends ConnectionDeps {
  /** The access tokens of each such platform. */
  readonly tokens: ReadonlyMap<Platform, AccessTokens>;
}

/** Gives every connector with OAuth its source of tokens. */
export function openConnections(deps: ConnectionDeps): Connections {
  const tokens = new Map<Platform, AccessTokens>();
  for (const [platform, { provides }] of deps.connectors) {
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
