import { PLATFORMS, type Platform } from '../base/platform.ts';

/** Null: all platforms. */
type Reach = ReadonlySet<Platform> | null;

/** The scopes that a client may request, one per platform. A request without scopes asks for all. */
export const SCOPE_NAMES: readonly string[] = PLATFORMS;

/** Every platform several times over. What follows is not even split. */
const MOST_NAMES = 64;

/**
 * Returns the platforms in a `scope`: all (null) when it is empty, undefined when it has an unknown name or more than 64
 * names.
 */
export function platformsNamed(scope: string): Reach | undefined {
  const words = scope.split(' ', MOST_NAMES + 1);
  if (words.length > MOST_NAMES) return undefined;
  const names = new Set(words.filter((name) => name !== ''));
  const named = PLATFORMS.filter((platform) => names.delete(platform));
  if (names.size > 0) return undefined;
  return named.length === 0 ? null : reachOf(named);
}

/** Returns the reach of the chosen platforms; at least one must be chosen. */
export function reachOf(chosen: readonly Platform[]): Reach {
  return chosen.length === PLATFORMS.length ? null : new Set(chosen);
}

/** Returns the platforms as a list, as shown to clients. */
export function namesOf(reach: Reach): Platform[] {
  return PLATFORMS.filter((platform) => reach === null || reach.has(platform));
}

/** Whether `one` is a subset of `other`. */
export function isWithin(one: Reach, other: Reach): boolean {
  if (other === null) return true;
  return one !== null && [...one].every((platform) => other.has(platform));
}

export function isSameReach(one: Reach, other: Reach): boolean {
  return isWithin(one, other) && isWithin(other, one);
}
