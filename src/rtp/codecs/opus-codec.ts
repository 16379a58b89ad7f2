import { type LibOpus, MAX_OPUS_PACKET_BYTES } from '../../audio/libopus.ts';
import { OpusDecoder, OpusEncoder, type OpusRateHz, type OpusTuning } from '../../audio/opus.ts';
import { isOpusPause, isOpusVoiceless, mayHaveOpusFec, opusPacketSamples } from '../../audio/opus-packet.ts';
import type { Payload } from '../../audio/payload.ts';
import { PacketLossConcealer } from '../../audio/plc.ts';
import { isQuiet } from '../../audio/quiet.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { OpusRequest } from '../rtp-protocol.ts';
import type { PassedPackets } from './passed-packets.ts';
import {
  type DecoderFormat,
  MAX_SENT_PAYLOAD_BYTES,
  type VoiceDecoder,
  type VoiceEncoder,
} from './voice-codec.ts';

/** RFC 7587 section 4.1: independent of the encoded sample rate. */
const CLOCK_RATE_HZ = 48_000;
/** RFC 6716 section 2.1.4. */
const MAX_PACKET_MS = 120;
const BITRATE_BPS = 24_000;
const COMPLEXITY = 4;
/**
 * From this bitrate on, CELT alone at this complexity codes a voice as well as SILK and CELT do together at the other one,
 * in half the time. For a voice libopus would use it only from some 72 kbit/s on.
 */
const CELT_FROM_BPS = 48_000;
const CELT_COMPLEXITY = 8;
/** One frame of silence at the highest rate. */
const silence = new Int16Array((CLOCK_RATE_HZ * FRAME_MS) / 1000);
/** Frames of silence after which an encoder has dropped earlier sound and a decoder has nothing left to extend. */
const SETTLING_FRAMES = 5;
/**
 * TOC mask (RFC 6716 section 3.1): same configuration, a single frame. Alone it is an empty frame, which decoders take
 * as DTX.
 */
const ONE_FRAME = 0xfc;

export function opusFormat(sampleRateHz: OpusRateHz): DecoderFormat {
  return {
    clockRateHz: CLOCK_RATE_HZ,
    sampleRateHz,
    maxPayloadBytes: MAX_OPUS_PACKET_BYTES,
    maxPacketSamples: (sampleRateHz * MAX_PACKET_MS) / 1000,
  };
}

/**
 * Decodes Opus directly to the room's rate. Of a loss, libopus restores what the next packet's FEC has, and a single packet
 * in any case. The rest is filled by pitch repetition, which is better understood (STOI) than what libopus makes of it.
 */
export class OpusVoiceDecoder implements VoiceDecoder {
  readonly clockRateHz = CLOCK_RATE_HZ;
  readonly sampleRateHz: number;
  readonly maxPayloadBytes = MAX_OPUS_PACKET_BYTES;
  readonly maxPacketSamples: number;
  readonly #decoder: OpusDecoder;
  readonly #plc: PacketLossConcealer;
  readonly #passed: PassedPackets | null;
  #quietPackets = 0;
  /** Of the packet that would stand for one that is missing. */
  #firstByte = 0;

  /** `passed` gets what is decoded, as it came. */
  constructor(opus: LibOpus, sampleRateHz: OpusRateHz, passed: PassedPackets | null = null) {
    this.#passed = passed;
    this.sampleRateHz = sampleRateHz;
    this.maxPacketSamples = opusFormat(sampleRateHz).maxPacketSamples;
    this.#decoder = new OpusDecoder(opus, sampleRateHz);
    this.#plc = new PacketLossConcealer(sampleRateHz);
  }

  packetTicks(bytes: Uint8Array, offset: number, length: number): number {
    return opusPacketSamples(bytes, offset, length, CLOCK_RATE_HZ);
  }

  /**
   * Whether the packet is voiceless and follows barely audible packets. Music and tones are voiceless too, but loud.
   * While the encoder is settling into silence, every packet matters: without one, the decoder extends the earlier
   * sound.
   */
  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean {
    if (isOpusPause(length)) return true;
    return this.#quietPackets > SETTLING_FRAMES && isOpusVoiceless(bytes, offset, length);
  }

  decode(payload: Payload, out: Int16Array, at: number, samples: number): void {
    this.#pass(payload);
    const decoded = this.#decoder.decode(payload, out, at, samples);
    if (decoded < samples) this.#extend(out, at + decoded, samples - decoded);
    this.#plc.heard(out, at, samples);
    this.#quietPackets = isQuiet(out, at, samples) ? this.#quietPackets + 1 : 0;
  }

  conceal(next: Payload, out: Int16Array, at: number, samples: number): void {
    this.#passed?.addMissing(this, this.#firstByte);
    const restored = this.#mayRestore(next) ? this.#decoder.recover(next, out, at, samples) : 0;
    // libopus must know of the loss even when its own concealment is not heard. Otherwise the next packet begins with a click.
    if (restored < samples) this.#extend(out, at + restored, samples - restored);
    if (restored > 0) this.#plc.heard(out, at, samples);
    else this.#plc.conceal(out, at, samples);
  }

  #pass(payload: Payload): void {
    if (this.#passed === null) return;
    this.#firstByte = payload.bytes[payload.payloadOffset]! & ONE_FRAME;
    this.#passed.add(this, payload);
  }

  #mayRestore({ bytes, payloadOffset, payloadLength }: Payload): boolean {
    return !this.#plc.isConcealing || mayHaveOpusFec(bytes, payloadOffset, payloadLength);
  }

  /** Fills a pause with comfort noise or fading sound, depending on the decoder's state. */
  pause(out: Int16Array, at: number, samples: number): void {
    this.#passed?.addMissing(this, this.#firstByte);
    this.#extend(out, at, samples);
    this.#plc.heard(out, at, samples);
  }

  rest(out: Int16Array, at: number, samples: number): void {
    this.#plc.rest(out, at, samples);
  }

  /** Lets libopus continue what it has decoded. Parts under 2.5 ms become silence. */
  #extend(out: Int16Array, at: number, samples: number): void {
    out.fill(0, at + this.#decoder.conceal(out, at, samples), at + samples);
  }

  /** Nothing to do: the decoder's state carries over. */
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
 * Encodes Opus directly from the room's rate. FEC is used only while packets are lost and for peers that support it: at
 * this bitrate it costs the audio above 8 kHz. Silence is encoded until it has settled; after that, one byte per frame
 * signals that it continues.
 */
export class OpusVoiceEncoder implements VoiceEncoder {
  readonly clockRateHz = CLOCK_RATE_HZ;
  readonly sampleRateHz: number;
  readonly #encoder: OpusEncoder;
  readonly #silence: Int16Array;
  #bitrateBps = BITRATE_BPS;
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
    const wantedBps = request?.bitrateBps ?? BITRATE_BPS;
    this.#bitrateBps = Math.min(wantedBps, request?.maxBitrateBps ?? wantedBps);
    this.#peerUsesFec = request?.inbandFec !== false;
    this.#encoder.tune(this.#tuning());
  }

  expectLoss(percent: number): void {
    this.#lossPercent = percent;
    this.#encoder.tune(this.#tuning());
  }

  #tuning(): OpusTuning {
    const bitrateBps = this.#bitrateBps;
    const lossPercent = this.#peerUsesFec ? this.#lossPercent : 0;
    // CELT has no FEC.
    return bitrateBps >= CELT_FROM_BPS && lossPercent === 0
      ? { bitrateBps, lossPercent, complexity: CELT_COMPLEXITY, signal: 'music' }
      : { bitrateBps, lossPercent, complexity: COMPLEXITY, signal: 'voice' };
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
