import * as z from 'zod';
import { DM_PLATFORMS, type Platform } from '../base/platform.ts';
import { PublicUrl } from './values.ts';

const BridgeKey = z
  .string()
  .regex(/^[\x21-\x7e]{32,256}$/, 'must have 32 to 256 printable ASCII characters without spaces');

const BridgedPlatforms = z.string().transform((text, context): readonly Platform[] => {
  const names = text.split(',').map((name) => name.trim());
  const platforms = DM_PLATFORMS.filter((platform) => names.includes(platform));
  if (names.every((name) => platforms.some((platform) => platform === name))) return platforms;
  context.addIssue(`must be comma-separated platforms out of ${DM_PLATFORMS.join(', ')}`);
  return z.NEVER;
});

/** Settings of the platform bridge. */
export const BRIDGE_VARIABLES = {
  SVC_BRIDGE_KEY: {
    default: null,
    secret: true,
    schema: BridgeKey,
    meaning:
      'Key of the platform bridge, a program of yours that brings messages and calls of a platform to the gateway: at least 32 characters; without it, the endpoints of the bridge answer 404',
  },
  SVC_BRIDGE_URL: {
    default: null,
    schema: PublicUrl,
    meaning:
      'URL of the bridge, to which the gateway posts replies, typing indicators and decisions about calls, signed with SVC_BRIDGE_KEY',
  },
  SVC_BRIDGE_PLATFORMS: {
    default: null,
    schema: BridgedPlatforms,
    meaning:
      'Comma-separated platforms whose messages and calls the bridge carries in both directions, in place of the connector of the gateway; needs SVC_BRIDGE_URL',
  },
} as const;
