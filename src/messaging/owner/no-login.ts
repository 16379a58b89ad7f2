import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';

/** The specification words it so where a bot is what one registers ("Errors"). */
const BOT_PLATFORMS: readonly Platform[] = ['discord', 'telegram'];

/** The error of an account that has no login at a platform, or not the one of this id. */
export function noLogin(platform: Platform, loginId: string | null): GatewayError {
  if (loginId !== null) return new GatewayError('connection_not_found');
  const login = BOT_PLATFORMS.includes(platform) ? 'bot registered' : 'connection configured';
  return new GatewayError('platform_not_configured', `No ${platform} ${login}`);
}
