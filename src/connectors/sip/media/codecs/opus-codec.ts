import { type LibOpus, MAX_OPUS_PACKET_BYTES } from '../../../../audio/libopus.ts';
import { OpusDecoder, OpusEncoder, type OpusRateHz, type OpusTuning } from '../../../../audio/opus.ts';
import { isOpusPause, isOpusVoiceless, opusPacketSamples } from '../../../../audio/opus-packet.ts';
import type { Payload } from '../../../../audio/payload.ts';
import { isQuiet } from '../../../../audio/quiet.ts';
import { FRAME_MS } from '../../../../base/frame.ts';
import type { OpusRequest } from '../../media-protocol.ts';
import { MAX_SENT_PAYLOAD_BYTES, type VoiceDecoder, type VoiceEncoder } from './voice-codec.ts';

/** RFC 7587 section 4.1: whatever the rate that is encoded. */
const CLOCK_RATE_HZ = 48_000;
/** RFC 6716 section 2.1.4. */
const MAX_PACKET_MS = 120;
const BITRATE_BPS = 24_000;
const COMPLEXITY = 4;
/** A frame at the highest rate. */
const silence = new Int16Array((CLOCK_RATE_HZ * FRAME_MS) / 1000);
/** By then an encoder has let go of the sound before the silence, and a decoder has nothing to carry on with. */
const SETTLING_FRAMES = 5;
/** RFC 6716 section 3.1: one frame of the kind before, and it is empty; the decoder takes that for DTX. */
const ONE_FRAME = 0xfc;

/** Decodes to the room's rate by itself. Lost packets come from the FEC of the next one where it has any. */
export class OpusVoiceDecoder implements VoiceDecoder {
  readonly clockRateHz = CLOCK_RATE_HZ;
  readonly sampleRateHz: number;
  readonly maxPayloadBytes = MAX_OPUS_PACKET_BYTES;
  readonly maxPacketSamples: number;
  readonly #decoder: OpusDecoder;
  #quietPackets = 0;

  constructor(opus: LibOpus, sampleRateHz: OpusRateHz) {
    this.sampleRateHz = sampleRateHz;
    this.maxPacketSamples = (sampleRateHz * MAX_PACKET_MS) / 1000;
    this.#decoder = new OpusDecoder(opus, sampleRateHz);
  }

  packetTicks(bytes: Uint8Array, offset: number, length: number): number {
    return opusPacketSamples(bytes, offset, length, CLOCK_RATE_HZ);
  }

  /**
   * Without voice after what could hardly be heard: music and tones are no voice, and loud. While an encoder lets go
   * of the sound, each of its packets matters: without one, the decoder carries on with what it had.
   */
  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean {
    if (isOpusPause(length)) return true;
    return this.#quietPackets > SETTLING_FRAMES && isOpusVoiceless(bytes, offset, length);
  }

  decode(payload: Payload, out: Int16Array, at: number, samples: number): void {
    const decoded = this.#decoder.decode(payload, out, at, samples);
    if (decoded < samples) this.pause(out, at + decoded, samples - decoded);
    this.#quietPackets = isQuiet(out, at, samples) ? this.#quietPackets + 1 : 0;
  }

  conceal(next: Payload, out: Int16Array, at: number, samples: number): void {
    const recovered = this.#decoder.recover(next, out, at, samples);
    if (recovered < samples) this.pause(out, at + recovered, samples - recovered);
  }

  /** Comfort noise or the fading sound, whichever the decoder is at; it makes up nothing shorter than 2.5 ms. */
  pause(out: Int16Array, at: number, samples: number): void {
    out.fill(0, at + this.#decoder.conceal(out, at, samples), at + samples);
  }

  rest(out: Int16Array, at: number, samples: number): void {
    out.fill(0, at, at + samples);
  }

  /** The decoder's own state carries over. */
  skip(): void {}

  restart(): void {
    this.#quietPackets = 0;
    this.#decoder.reset();
  }

  close(): void {
    this.#decoder.free();
  }
}

/**
 * Encodes from the room's rate by itself. FEC is sent to peers that can use it, and only while packets are lost: at our
 * bitrate it takes away what lies above 8 kHz. Silence is encoded until it has settled; then a byte says that it
 * goes on.
 */
export class OpusVoiceEncoder implements VoiceEncoder {
  readonly clockRateHz = CLOCK_RATE_HZ;
  readonly sampleRateHz: number;
  readonly #encoder: OpusEncoder;
  readonly #silence: Int16Array;
  #maxBitrateBps = BITRATE_BPS;
  #peerUsesFec = true;
  #lossPercent = 0;
  #silentFrames = 0;
  #firstByte = 0;

  constructor(opus: LibOpus, sampleRateHz: OpusRateHz) {
    this.sampleRateHz = sampleRateHz;
    this.#silence = silence.subarray(0, (sampleRateHz * FRAME_MS) / 1000);
    this.#encoder = new OpusEncoder(opus, sampleRateHz, this.#tuning());
  }

  adapt(request: OpusRequest | null): void {
    this.#maxBitrateBps = request?.maxBitrateBps ?? BITRATE_BPS;
    this.#peerUsesFec = request?.inbandFec !== false;
    this.#encoder.tune(this.#tuning());
  }

  expectLoss(percent: number): void {
    this.#lossPercent = percent;
    this.#encoder.tune(this.#tuning());
  }

  #tuning(): OpusTuning {
    return {
      bitrateBps: Math.min(BITRATE_BPS, this.#maxBitrateBps),
      complexity: COMPLEXITY,
      lossPercent: this.#peerUsesFec ? this.#lossPercent : 0,
    };
  }

  encode(frame: Int16Array, voiced: boolean, out: Uint8Array, at: number): number {
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (this.#silentFrames > SETTLING_FRAMES) {
      out[at] = this.#firstByte;
      return 1;
    }
    const length = this.#encoder.encode(voiced ? frame : this.#silence, out, at, MAX_SENT_PAYLOAD_BYTES);
    this.#firstByte = out[at]! & ONE_FRAME;
    return length;
  }

  close(): void {
    this.#encoder.free();
  }
}
