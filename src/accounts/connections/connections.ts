import type { Platform } from '../../base/platform.ts';
import { settledWithin } from '../../base/waits.ts';
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
