import { G722_AHEAD_SAMPLES, G722Decoder, G722Encoder, MAX_G722_BYTES } from '../../audio/g722.ts';
import type { Payload } from '../../audio/payload.ts';
import { PacketLossConcealer } from '../../audio/plc.ts';
import { isQuiet } from '../../audio/quiet.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { DecoderFormat, VoiceDecoder, VoiceEncoder } from './voice-codec.ts';

/** RFC 3551 section 4.5.2: half the sample rate, by a mistake that all peers have to share. A byte is one tick. */
const CLOCK_RATE_HZ = 8_000;
const SAMPLE_RATE_HZ = 16_000;
const SAMPLES_PER_BYTE = 2;
const FRAME_SAMPLES = (SAMPLE_RATE_HZ * FRAME_MS) / 1000;

const silence = new Int16Array(FRAME_SAMPLES);
/** Scratch buffer, and a decoder that tries what another one has yet to decode. Only one decoder at a time runs on a thread. */
const workSpace = new Int16Array(MAX_G722_BYTES * SAMPLES_PER_BYTE + G722_AHEAD_SAMPLES);
const scout = new G722Decoder();
const tried = { bytes: new Uint8Array(0) as Uint8Array, payloadOffset: 0, payloadLength: 0 };

export const G722_FORMAT: DecoderFormat = {
  clockRateHz: CLOCK_RATE_HZ,
  sampleRateHz: SAMPLE_RATE_HZ,
  maxPayloadBytes: MAX_G722_BYTES,
  maxPacketSamples: MAX_G722_BYTES * SAMPLES_PER_BYTE,
};

export class G722VoiceDecoder implements VoiceDecoder {
  readonly clockRateHz = G722_FORMAT.clockRateHz;
  readonly sampleRateHz = G722_FORMAT.sampleRateHz;
  readonly maxPayloadBytes = G722_FORMAT.maxPayloadBytes;
  readonly maxPacketSamples = G722_FORMAT.maxPacketSamples;
  readonly #decoder = new G722Decoder();
  readonly #plc = new PacketLossConcealer(SAMPLE_RATE_HZ);

  packetTicks(_bytes: Uint8Array, _offset: number, length: number): number {
    return length;
  }

  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean {
    scout.follow(this.#decoder);
    tried.bytes = bytes;
    tried.payloadOffset = offset;
    tried.payloadLength = length;
    scout.decode(tried, workSpace, 0);
    return isQuiet(workSpace, 0, length * SAMPLES_PER_BYTE);
  }

  decode(payload: Payload, out: Int16Array, at: number): void {
    this.#decoder.decode(payload, out, at);
    this.#plc.heard(out, at, payload.payloadLength * SAMPLES_PER_BYTE);
  }

  conceal(_next: Payload, out: Int16Array, at: number, samples: number): void {
    this.#plc.conceal(out, at, samples);
    for (let i = 0; i < samples; i++) workSpace[i] = out[at + i]!;
    this.#plc.foresee(workSpace, samples, G722_AHEAD_SAMPLES);
    this.#decoder.assume(workSpace, samples);
  }

  pause(out: Int16Array, at: number, samples: number): void {
    out.fill(0, at, at + samples);
    this.#plc.heard(out, at, samples);
  }

  rest(out: Int16Array, at: number, samples: number): void {
    this.#plc.rest(out, at, samples);
  }

  skip(): void {
    this.#plc.skip();
  }

  restart(): void {
    this.#decoder.reset();
  }

  close(): void {}
}

export class G722VoiceEncoder implements VoiceEncoder {
  readonly clockRateHz = CLOCK_RATE_HZ;
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly #encoder = new G722Encoder();

  adapt(): void {}

  expectLoss(): void {}

  encode(frame: Int16Array, voiced: boolean, out: Uint8Array, at: number): number {
    this.#encoder.encode(voiced ? frame : silence, FRAME_SAMPLES, out, at);
    return FRAME_SAMPLES / SAMPLES_PER_BYTE;
  }

  close(): void {}
}
