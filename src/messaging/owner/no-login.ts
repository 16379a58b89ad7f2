import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';

/** Platforms where users register a bot; the specification words their error differently ("Errors"). */
const BOT_PLATFORMS: readonly Platform[] = ['discord', 'telegram'];

/** Returns the error for an account that has no login on a platform, or no login with this id. */
export function noLogin(platform: Platform, loginId: string | null): GatewayError {
  if (loginId !== null) return new GatewayError('connection_not_found');
  const login = BOT_PLATFORMS.includes(platform) ? 'bot registered' : 'connection configured';
  return new GatewayError('platform_not_configured', `No ${platform} ${login}`);
}
