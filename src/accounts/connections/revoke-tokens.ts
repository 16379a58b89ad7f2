import type { Platform } from '../../base/platform.ts';
import { TimeLimit } from '../../base/time-limit.ts';
import { settledWithin } from '../../base/waits.ts';
import type { OAuthTokens } from '../../connectors/contract/oauth.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { platformWords } from './platform-words.ts';

const REVOKE_DEADLINE_MS = 5_000;

type RevokeDeps = Pick<ConnectionDeps, 'connectors' | 'clock' | 'onFailure'>;

/** Asks a platform to withdraw the gateway's access. Best effort, within 5 s; never rejects. */
export async function revokeTokens(deps: RevokeDeps, platform: Platform, tokens: OAuthTokens): Promise<void> {
  const oauth = deps.connectors.get(platform)?.provides.oauth;
  if (oauth?.revoke === undefined || oauth.client === null) return;
  const limit = new TimeLimit(deps.clock, REVOKE_DEADLINE_MS);
  const secrets = [tokens.accessToken, tokens.refreshToken ?? '', oauth.client.clientSecret];
  const asked = oauth
    .revoke(tokens, limit.signal)
    .catch((error: unknown) =>
      deps.onFailure(platform, 'access could not be revoked', platformWords([`${error}`], secrets)),
    );
  await settledWithin(deps.clock, REVOKE_DEADLINE_MS, [asked]);
  limit.close();
}
