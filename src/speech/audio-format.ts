/** Mono audio as a vendor takes or gives it. */
export interface AudioFormat {
  readonly encoding: 's16le' | 'mulaw';
  readonly sampleRateHz: number;
}

const MULAW_RATE_HZ = 8_000;
const MULAW_SILENCE = 0xff;

/**
 * Returns the format nearest to audio of `rateHz`: at 8 kHz µ-law, which is what phones speak, otherwise the lowest of
 * these rates (ascending) that loses nothing.
 */
export function nearestFormat(ratesHz: readonly [number, ...number[]], rateHz: number): AudioFormat {
  if (rateHz === MULAW_RATE_HZ) return { encoding: 'mulaw', sampleRateHz: rateHz };
  const sampleRateHz = ratesHz.find((each) => each >= rateHz) ?? Math.max(...ratesHz);
  return { encoding: 's16le', sampleRateHz };
}

export function bytesPerSample({ encoding }: AudioFormat): number {
  return encoding === 's16le' ? 2 : 1;
}

export function bytesPerSecond(format: AudioFormat): number {
  return format.sampleRateHz * bytesPerSample(format);
}

export function silenceOf(format: AudioFormat, durationMs: number): Uint8Array {
  const samples = Math.round((format.sampleRateHz * durationMs) / 1_000);
  const silence = new Uint8Array(samples * bytesPerSample(format));
  return format.encoding === 'mulaw' ? silence.fill(MULAW_SILENCE) : silence;
}
