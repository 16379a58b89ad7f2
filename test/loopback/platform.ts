import type { Platform } from '../../src/base/platform.ts';

/**
 * The name under which the loopback platform is registered, in place of the product's connector: Discord's traits fit, and
 * people may register bots there.
 */
export const PLATFORM = 'discord' satisfies Platform;
