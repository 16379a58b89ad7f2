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
  return { encoding: 's16le', sampleRateHz: ratesHz.find((each) => each >= rateHz) ?? Math.max(...ratesHz) };
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

/** −36 dBFS. */
const QUIET_PEAK = 512;
/** The same as the magnitude of a µ-law code (ITU-T G.711), of which all bits are inverted. */
const QUIET_MULAW = 0x23;

/** Whether audio is so quiet that nothing is said in it. */
export function isSilent(audio: Uint8Array, { encoding }: AudioFormat): boolean {
  return encoding === 'mulaw' ? isSilentMulaw(audio) : isSilentPcm(audio);
}

function isSilentMulaw(codes: Uint8Array): boolean {
  return codes.every((code) => (~code & 0x7f) <= QUIET_MULAW);
}

function isSilentPcm(bytes: Uint8Array): boolean {
  const samples = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    if (Math.abs(samples.getInt16(at, true)) > QUIET_PEAK) return false;
  }
  return true;
}

/** Audio in pieces of whole samples: vendors and networks also cut within one. */
export class WholeSamples {
  readonly #sampleBytes: number;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sampleBytes: number) {
    this.#sampleBytes = sampleBytes;
  }

  /** Returns all whole samples so far. */
  take(data: Uint8Array): Uint8Array {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const end = all.length - (all.length % this.#sampleBytes);
    this.#rest = all.subarray(end);
    return all.subarray(0, end);
  }
}
