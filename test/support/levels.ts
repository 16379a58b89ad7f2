const FULL_SCALE = 32_768;

/** Reported for digital silence, which has no logarithm. The range of 16 bits ends at about −96 dB. */
const SILENCE_DBFS = -100;

function dbfs(amplitude: number): number {
  return amplitude === 0 ? SILENCE_DBFS : 20 * Math.log10(amplitude / FULL_SCALE);
}

/** Root mean square of a frame in dB relative to full scale. A full-scale sine is at −3 dB. */
export function rmsDbfs(frame: Int16Array): number {
  let energy = 0;
  for (let i = 0; i < frame.length; i++) energy += frame[i]! * frame[i]!;
  return dbfs(frame.length === 0 ? 0 : Math.sqrt(energy / frame.length));
}

/** Peak of a frame in dB relative to full scale. */
export function peakDbfs(frame: Int16Array): number {
  let peak = 0;
  for (let i = 0; i < frame.length; i++) peak = Math.max(peak, Math.abs(frame[i]!));
  return dbfs(peak);
}
