import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import type { ConnectsByOAuth, OAuthClient } from '../../connectors/contract/oauth.ts';
import type { ConnectionDeps } from './connection-deps.ts';

/** A platform that can be connected now. */
export interface OfferedPlatform {
  readonly platform: Platform;
  readonly oauth: ConnectsByOAuth;
  readonly client: OAuthClient;
}

/**
 * Returns the platform with this name. Throws `oauth_not_offered`, or `platform_not_configured` when the operator has
 * not set it up.
 */
export function offeredPlatform(
  { connectors }: Pick<ConnectionDeps, 'connectors'>,
  name: string,
): OfferedPlatform {
  const platform = name as Platform;
  const oauth = connectors.get(platform)?.provides.oauth;
  if (oauth === undefined) throw new GatewayError('oauth_not_offered');
  const { client } = oauth;
  if (client === null)
    throw new GatewayError(
      'platform_not_configured',
      `The operator of this gateway has not set up connections to ${platform}`,
    );
  return { platform, oauth, client };
}

/** Where a platform sends browsers back to. Each platform has its own, so that answers cannot be mixed up. */
export function callbackUrl(
  { publicUrl, connectors }: Pick<ConnectionDeps, 'publicUrl' | 'connectors'>,
  platform: Platform,
): string {
  const own = connectors.get(platform)?.provides.oauth?.paths?.callback;
  return `${publicUrl()}/api/${own === undefined ? `oauth/${platform}/callback` : `${platform}/${own}`}`;
}
