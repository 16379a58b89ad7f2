/** A burst of 5 ms that survives G.711 and resampling and has a sharp start: the stopwatch of a delay measurement. */
export function impulse(sampleRateHz: number): Int16Array {
  const lengthSamples = Math.round(sampleRateHz * 0.005);
  const burst = new Int16Array(lengthSamples);
  for (let i = 0; i < lengthSamples; i++) {
    burst[i] = Math.round(24_000 * Math.sin((2 * Math.PI * 1_000 * i) / sampleRateHz));
  }
  return burst;
}

/** Positions, in samples, where the signal rises over half of an impulse after at least 50 ms below. */
export function findImpulses(samples: Int16Array, sampleRateHz: number): number[] {
  const quietSamples = sampleRateHz * 0.05;
  const found: number[] = [];
  let lastLoud = -Infinity;
  samples.forEach((sample, at) => {
    if (Math.abs(sample) < 12_000) return;
    if (at - lastLoud > quietSamples) found.push(at);
    lastLoud = at;
  });
  return found;
}
