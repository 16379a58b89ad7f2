import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../../audio/libopus.ts';
import { OpusDecoder, type OpusRateHz } from '../../audio/opus.ts';
import { opusPacketSamples } from '../../audio/opus-packet.ts';
import { Overloaded } from '../../base/errors.ts';
import { StreamFault } from './stream-request.ts';

const RATES_HZ: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000] satisfies OpusRateHz[];
/** What may come at once, as much as a queue of playout holds, and how much faster than time passes afterwards. */
const MAX_AHEAD_MS = 70_000;
const PACE = 4;

/** What a client says in Opus, decoded. Each message is a packet of 2.5 to 120 ms (RFC 6716), mono or stereo. */
export class OpusIntake {
  readonly #decoder: OpusDecoder;
  readonly #rateHz: number;
  readonly #samples = new Int16Array(MAX_OPUS_FRAME_SAMPLES);
  /** How much may be decoded now. A message of three bytes can last 120 ms. */
  #allowanceMs = MAX_AHEAD_MS;
  #atMs: number;

  /** Throws a StreamFault when Opus does not have the rate, Overloaded when there is no decoder. */
  constructor(opus: () => LibOpus, rateHz: number, nowMs: number) {
    if (!isOpusRate(rateHz))
      throw new StreamFault(
        'invalid_sample_rate',
        `sample_rate: opus is decoded at ${RATES_HZ.join(', ')} Hz`,
      );
    this.#rateHz = rateHz;
    this.#atMs = nowMs;
    this.#decoder = openDecoder(opus(), rateHz);
  }

  /**
   * Returns the samples of a packet, valid until the next one; null when it is too far ahead of time. Throws a StreamFault
   * if it is invalid.
   */
  read(message: ArrayBuffer, nowMs: number): Int16Array | null {
    const bytes = new Uint8Array(message);
    const { length } = bytes;
    const lasts = length > MAX_OPUS_PACKET_BYTES ? 0 : opusPacketSamples(bytes, 0, length, this.#rateHz);
    if (lasts === 0) throw invalid();
    if (!this.#takes((lasts * 1_000) / this.#rateHz, nowMs)) return null;
    const payload = { bytes, payloadOffset: 0, payloadLength: length };
    const decoded = this.#decoder.decode(payload, this.#samples, 0, lasts);
    if (decoded === 0) throw invalid();
    return this.#samples.subarray(0, decoded);
  }

  close(): void {
    this.#decoder.free();
  }

  #takes(ms: number, nowMs: number): boolean {
    this.#allowanceMs = Math.min(MAX_AHEAD_MS, this.#allowanceMs + (nowMs - this.#atMs) * PACE);
    this.#atMs = nowMs;
    if (this.#allowanceMs < ms) return false;
    this.#allowanceMs -= ms;
    return true;
  }
}

function invalid(): StreamFault {
  return new StreamFault('invalid_audio', 'a message of opus must be one packet (RFC 6716)');
}

function openDecoder(opus: LibOpus, rateHz: OpusRateHz): OpusDecoder {
  try {
    return new OpusDecoder(opus, rateHz);
  } catch {
    throw new Overloaded('No decoder for opus is free');
  }
}

function isOpusRate(rateHz: number): rateHz is OpusRateHz {
  return RATES_HZ.includes(rateHz);
}
