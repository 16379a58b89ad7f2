import type { HeardFrame } from './agent.ts';

/** Far below any test tone, far above what G.711 and resamplers add to silence. */
const VOICED_PEAK = 1_000;

export function isVoiced({ samples }: HeardFrame): boolean {
  return samples.some((sample) => Math.abs(sample) > VOICED_PEAK);
}

/** The longest time between two voiced frames that arrived one after the other, in milliseconds. */
export function longestVoicedGapMs(frames: readonly HeardFrame[]): number {
  const times = frames.filter(isVoiced).map(({ atMs }) => atMs);
  return times.reduce((longest, atMs, i) => Math.max(longest, atMs - (times[i - 1] ?? atMs)), 0);
}
