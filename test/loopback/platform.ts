import type { Platform } from '../../src/base/platform.ts';

/**
 * The name under which the loopback platform is registered: a platform without a connector in the product, so that the
 * API does not change. Discord's traits fit, and people may register bots there.
 */
export const PLATFORM = 'discord' satisfies Platform;
