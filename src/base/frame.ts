/** Length of one AudioFrame and of one engine tick. */
export const FRAME_MS = 20;

/** An engine thread divides its 20 ms tick into slots and processes some of its calls in each. */
export const SLOTS = 20;
export const SLOT_MS = FRAME_MS / SLOTS;

/** Lowest and highest PCM rate that an agent may declare. */
export const MIN_SAMPLE_RATE_HZ = 8_000;
export const MAX_SAMPLE_RATE_HZ = 48_000;

/** Samples in one 20 ms mono frame. 44,100 Hz gives exactly 882; rates that do not divide evenly round down. */
export function frameSamples(sampleRateHz: number): number {
  return Math.floor((sampleRateHz * FRAME_MS) / 1000);
}
