import { PLATFORMS, type Platform } from '../base/platform.ts';

/** Null: all of them. */
type Reach = ReadonlySet<Platform> | null;

/** What a client may ask for by name: a platform each. Whoever names none asks for all. */
export const SCOPE_NAMES: readonly string[] = PLATFORMS;

/** The platforms that a `scope` names, all of them when it names none; undefined when it holds an unknown name. */
export function platformsNamed(scope: string): Reach | undefined {
  const names = new Set(scope.split(' ').filter((name) => name !== ''));
  const named = PLATFORMS.filter((platform) => names.delete(platform));
  if (names.size > 0) return undefined;
  return named.length === 0 ? null : reachOf(named);
}

/** Platforms that were chosen, of which there is at least one. */
export function reachOf(chosen: readonly Platform[]): Reach {
  return chosen.length === PLATFORMS.length ? null : new Set(chosen);
}

/** Platforms as a client is told of them. */
export function namesOf(reach: Reach): Platform[] {
  return PLATFORMS.filter((platform) => reach === null || reach.has(platform));
}

/** Whether one of them has nothing that the other has not. */
export function isWithin(one: Reach, other: Reach): boolean {
  if (other === null) return true;
  return one !== null && [...one].every((platform) => other.has(platform));
}

export function isSameReach(one: Reach, other: Reach): boolean {
  return isWithin(one, other) && isWithin(other, one);
}
