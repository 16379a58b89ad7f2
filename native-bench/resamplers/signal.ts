/** The signal that resamplers are judged by: a tone, a short burst, a tone that must vanish, a tone near the edge. */

export const TONE_HZ = 1_000;
/** The highest frequency of a telephone's band. */
export const EDGE_HZ = 3_400;
const AMPLITUDE = 12_000;
const BURST_AT_MS = 2_100;
const BURST_WIDTH_MS = 10;
const LENGTH_MS = 5_000;

/** GatewayDeps of the signal, clear of their edges. */
export const TONE_PART_MS = { from: 500, to: 1_500 };
export const BURST_PART_MS = { from: 2_000, to: 2_200 };
export const ALIAS_PART_MS = { from: 2_700, to: 3_300 };
export const EDGE_PART_MS = { from: 3_900, to: 4_800 };

/** The whole signal at a rate; `aliasHz` 0: nothing where the vanishing tone would be. */
export function judgingSignal(sampleRateHz: number, aliasHz: number): Int16Array {
  return Int16Array.from({ length: (LENGTH_MS * sampleRateHz) / 1000 }, (_, i) =>
    Math.round(valueAt((i * 1000) / sampleRateHz, aliasHz)),
  );
}

function valueAt(timeMs: number, aliasHz: number): number {
  if (timeMs < 1_800) return tone(TONE_HZ, timeMs);
  if (timeMs < 2_400) return burstAt(timeMs);
  if (timeMs < 3_600) return tone(aliasHz, timeMs);
  return tone(EDGE_HZ, timeMs);
}

/** Narrow in time and in frequency, so that it is where it is at every rate. */
export function burstAt(timeMs: number): number {
  return tone(TONE_HZ, timeMs) * Math.exp(-(((timeMs - BURST_AT_MS) / BURST_WIDTH_MS) ** 2));
}

function tone(frequencyHz: number, timeMs: number): number {
  return AMPLITUDE * Math.sin((2 * Math.PI * frequencyHz * timeMs) / 1000);
}
