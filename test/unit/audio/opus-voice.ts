/** A voice reduced to its harmonics: a gliding pitch of 190 to 250 Hz, syllables of 250 ms, a little breath. */
export function voice(sampleRateHz: number, seconds: number, peak = 9_000): Int16Array {
  const samples = new Int16Array(sampleRateHz * seconds);
  let phase = 0;
  let seed = 1;
  samples.forEach((_, i) => {
    const t = i / sampleRateHz;
    phase += (2 * Math.PI * (220 + 30 * Math.sin(2 * t))) / sampleRateHz;
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    let sample = 0.01 * (seed / 0x4000_0000 - 1);
    for (let harmonic = 1; harmonic <= 12; harmonic++) sample += Math.sin(harmonic * phase) / (3 * harmonic);
    samples[i] = Math.round(peak * sample * (0.6 - 0.4 * Math.cos(8 * Math.PI * t)));
  });
  return samples;
}

/** Power of `wanted` over the power of the difference from it, in dB, at the best delay up to `maxDelay`. */
export function likenessDb(heard: Int16Array, wanted: Int16Array, maxDelay: number): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let delay = 0; delay <= maxDelay; delay++) best = Math.max(best, likenessAtDb(heard, wanted, delay));
  return best;
}

export function likenessAtDb(heard: Int16Array, wanted: Int16Array, delay: number): number {
  let signal = 0;
  let noise = 1e-9;
  for (let i = delay; i < heard.length; i += 3) {
    const sample = wanted[i - delay]!;
    signal += sample * sample;
    noise += (heard[i]! - sample) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}
