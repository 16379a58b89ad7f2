import { type LibOpus, MAX_OPUS_FRAME_SAMPLES, MAX_OPUS_PACKET_BYTES } from '../../audio/libopus.ts';
import { OpusDecoder, type OpusRateHz } from '../../audio/opus.ts';
import { opusPacketSamples } from '../../audio/opus-packet.ts';
import { StreamFault } from './stream-request.ts';

const RATES_HZ: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000] satisfies OpusRateHz[];

/** What a client says in Opus, decoded. Each message is a packet of 2.5 to 120 ms (RFC 6716), mono or stereo. */
export class OpusIntake {
  readonly #decoder: OpusDecoder;
  readonly #rateHz: number;
  readonly #samples = new Int16Array(MAX_OPUS_FRAME_SAMPLES);

  /** Throws a StreamFault when Opus does not have the rate. */
  constructor(opus: () => LibOpus, rateHz: number) {
    if (!isOpusRate(rateHz))
      throw new StreamFault(
        'invalid_sample_rate',
        `sample_rate: opus is decoded at ${RATES_HZ.join(', ')} Hz`,
      );
    this.#rateHz = rateHz;
    this.#decoder = new OpusDecoder(opus(), rateHz);
  }

  /** Returns the samples of a packet, valid until the next one. Throws a StreamFault if it is invalid. */
  read(message: ArrayBuffer): Int16Array {
    const bytes = new Uint8Array(message);
    const payload = { bytes, payloadOffset: 0, payloadLength: bytes.length };
    const lasts =
      bytes.length > MAX_OPUS_PACKET_BYTES ? 0 : opusPacketSamples(bytes, 0, bytes.length, this.#rateHz);
    const decoded = lasts === 0 ? 0 : this.#decoder.decode(payload, this.#samples, 0, lasts);
    if (decoded === 0)
      throw new StreamFault('invalid_audio', 'a message of opus must be one packet (RFC 6716)');
    return this.#samples.subarray(0, decoded);
  }

  close(): void {
    this.#decoder.free();
  }
}

function isOpusRate(rateHz: number): rateHz is OpusRateHz {
  return RATES_HZ.includes(rateHz);
}
