/** A sine of `amplitude` (full scale: 32767) that starts at phase zero at sample `fromSample`. */
export function tone(
  toneHz: number,
  sampleRateHz: number,
  lengthSamples: number,
  amplitude = 10_000,
  fromSample = 0,
): Int16Array {
  const samples = new Int16Array(lengthSamples);
  const step = (2 * Math.PI * toneHz) / sampleRateHz;
  for (let i = 0; i < lengthSamples; i++)
    samples[i] = Math.round(amplitude * Math.sin(step * (fromSample + i)));
  return samples;
}
