import { GatewayError } from '../../base/errors.ts';
import { PLATFORMS, type Platform } from '../../base/platform.ts';

/** The platform named in a path. Throws `not_found` for an unknown one. */
export function platformNamed(name: string): Platform {
  const platform = PLATFORMS.find((each) => each === name);
  if (platform === undefined) throw new GatewayError('not_found');
  return platform;
}
