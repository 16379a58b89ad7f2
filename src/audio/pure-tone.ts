/** What is left of a frame when its tone is taken away, at most: a recorded beep has some noise. */
const MOST_REST = 0.02;
/** −40 dBFS. */
const LEAST_POWER = 1e-4 * 0x8000 ** 2;

/**
 * Returns the frequency of the sine that a frame consists of, in Hz; 0: it is something else. A sine is what follows from
 * its last two samples: x[n] = 2 cos ω · x[n−1] − x[n−2].
 */
export function pureToneHz(frame: Int16Array, sampleRateHz: number): number {
  let cross = 0;
  let middle = 0;
  for (let i = 2; i < frame.length; i++) {
    const one = frame[i - 1] as number;
    cross += ((frame[i] as number) + (frame[i - 2] as number)) * one;
    middle += one * one;
  }
  if (middle < LEAST_POWER * frame.length) return 0;
  const factor = cross / middle;
  if (factor <= -2 || factor >= 2) return 0;
  let rest = 0;
  for (let i = 2; i < frame.length; i++) {
    const error = (frame[i] as number) + (frame[i - 2] as number) - factor * (frame[i - 1] as number);
    rest += error * error;
  }
  return rest > MOST_REST * middle ? 0 : (Math.acos(factor / 2) * sampleRateHz) / (2 * Math.PI);
}
