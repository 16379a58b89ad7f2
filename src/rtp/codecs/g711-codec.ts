import {
  decodeAlaw,
  decodeUlaw,
  encodeAlaw,
  encodeUlaw,
  type G711Decode,
  type G711Encode,
} from '../../audio/g711.ts';
import type { Payload } from '../../audio/payload.ts';
import { PacketLossConcealer } from '../../audio/plc.ts';
import { isQuiet } from '../../audio/quiet.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { G711Name } from '../rtp-protocol.ts';
import type { DecoderFormat, VoiceDecoder, VoiceEncoder } from './voice-codec.ts';

const RATE_HZ = 8_000;
const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1000;
/** Longest packet accepted: 60 ms. One byte is one sample and one tick. */
const MAX_PAYLOAD_BYTES = 3 * FRAME_SAMPLES;
/** What is decoded at a time to see whether a payload is quiet: few that are loud begin with a pause. */
const PROBED_BYTES = 32;

interface Law {
  readonly encode: G711Encode;
  readonly decode: G711Decode;
  /** The byte for a zero sample. */
  readonly silence: number;
}

const LAWS: Readonly<Record<G711Name, Law>> = {
  PCMU: { encode: encodeUlaw, decode: decodeUlaw, silence: 0xff },
  PCMA: { encode: encodeAlaw, decode: decodeAlaw, silence: 0xd5 },
};

/** Scratch buffer. Only one decoder at a time runs on a thread. */
const workSpace = new Int16Array(MAX_PAYLOAD_BYTES);

export const G711_FORMAT: DecoderFormat = {
  clockRateHz: RATE_HZ,
  sampleRateHz: RATE_HZ,
  maxPayloadBytes: MAX_PAYLOAD_BYTES,
  maxPacketSamples: MAX_PAYLOAD_BYTES,
};

export class G711Decoder implements VoiceDecoder {
  readonly clockRateHz = G711_FORMAT.clockRateHz;
  readonly sampleRateHz = G711_FORMAT.sampleRateHz;
  readonly maxPayloadBytes = G711_FORMAT.maxPayloadBytes;
  readonly maxPacketSamples = G711_FORMAT.maxPacketSamples;
  readonly #law: Law;
  readonly #plc: PacketLossConcealer;

  /** Both laws of a stream may share a concealer, so that what is lost between them is concealed. */
  constructor(name: G711Name, plc = new PacketLossConcealer(RATE_HZ)) {
    this.#law = LAWS[name];
    this.#plc = plc;
  }

  /** The other law of the same stream. */
  sibling(name: G711Name): G711Decoder {
    return new G711Decoder(name, this.#plc);
  }

  packetTicks(_bytes: Uint8Array, _offset: number, length: number): number {
    return length;
  }

  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean {
    for (let at = 0; at < length; at += PROBED_BYTES) {
      const count = Math.min(PROBED_BYTES, length - at);
      this.#law.decode(bytes, offset + at, count, workSpace);
      if (!isQuiet(workSpace, 0, count)) return false;
    }
    return true;
  }

  decode({ bytes, payloadOffset, payloadLength }: Payload, out: Int16Array, at: number): void {
    const decoded = at === 0 ? out : workSpace;
    this.#law.decode(bytes, payloadOffset, payloadLength, decoded);
    if (at > 0) for (let i = 0; i < payloadLength; i++) out[at + i] = decoded[i]!;
    this.#plc.heard(out, at, payloadLength);
  }

  conceal(_next: Payload, out: Int16Array, at: number, samples: number): void {
    this.#plc.conceal(out, at, samples);
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

  /** Nothing to reset: the concealer blends earlier audio into the new stream. */
  restart(): void {}

  close(): void {}
}

export class G711Encoder implements VoiceEncoder {
  readonly clockRateHz = RATE_HZ;
  readonly sampleRateHz = RATE_HZ;
  readonly #law: Law;

  constructor(name: G711Name) {
    this.#law = LAWS[name];
  }

  adapt(): void {}

  expectLoss(): void {}

  encode(frame: Int16Array, voiced: boolean, out: Uint8Array, at: number): number {
    if (voiced) this.#law.encode(frame, FRAME_SAMPLES, out, at);
    else out.fill(this.#law.silence, at, at + FRAME_SAMPLES);
    return FRAME_SAMPLES;
  }

  close(): void {}
}
