const FULL_SCALE_POWER = 0x8000 ** 2;

/** Mean power of 16-bit samples, 0 to 1: relative to that of a full-scale square wave. */
export function framePower(samples: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] as number;
    sum += sample * sample;
  }
  return samples.length === 0 ? 0 : sum / samples.length / FULL_SCALE_POWER;
}
