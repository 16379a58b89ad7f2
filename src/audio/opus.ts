import { assert } from '../base/assert.ts';
import {
  type LibOpus,
  MAX_OPUS_PACKET_BYTES,
  OPUS_RESET_STATE,
  OPUS_SET_BITRATE,
  OPUS_SET_COMPLEXITY,
  OPUS_SET_INBAND_FEC,
  OPUS_SET_PACKET_LOSS_PERC,
  OPUS_SET_SIGNAL,
  OPUS_SIGNAL_MUSIC,
  OPUS_SIGNAL_VOICE,
} from './libopus.ts';
import type { Payload } from './payload.ts';

/** Sample rates supported by libopus. The RTP clock of Opus is always 48,000 Hz. */
export type OpusRateHz = 8_000 | 12_000 | 16_000 | 24_000 | 48_000;

/** Encoder settings. They may change from frame to frame. */
export interface OpusTuning {
  readonly bitrateBps: number;
  /** Encoder effort, 0 to 10. */
  readonly complexity: number;
  /** Packet loss in percent that in-band FEC should cover; 0 disables FEC. */
  readonly lossPercent: number;
  /** What the sound is taken for. `music` is coded by CELT alone, which has no FEC, unless the bitrate is low. */
  readonly signal: 'voice' | 'music';
}

const CLOSED = -1;

/** Encoder of one stream: mono, VBR (RFC 6716). */
export class OpusEncoder {
  readonly #opus: LibOpus;
  #stream: number;

  /** Throws when libopus cannot open another encoder on this thread. */
  constructor(opus: LibOpus, rateHz: OpusRateHz, tuning: OpusTuning) {
    this.#opus = opus;
    this.#stream = opus.openEncoder(rateHz);
    if (this.#stream <= 0) throw new Error(`no Opus encoder: libopus says ${this.#stream}`);
    this.tune(tuning);
  }

  tune({ bitrateBps, complexity, lossPercent, signal }: OpusTuning): void {
    this.#set(OPUS_SET_BITRATE, bitrateBps);
    this.#set(OPUS_SET_SIGNAL, signal === 'music' ? OPUS_SIGNAL_MUSIC : OPUS_SIGNAL_VOICE);
    this.#set(OPUS_SET_COMPLEXITY, complexity);
    this.#set(OPUS_SET_INBAND_FEC, lossPercent > 0 ? 1 : 0);
    this.#set(OPUS_SET_PACKET_LOSS_PERC, lossPercent);
  }

  /** Encodes a frame of 2.5 to 60 ms into at most `maxBytes` of `out` from `at`. Returns the packet's length. */
  encode(frame: Int16Array, out: Uint8Array, at: number, maxBytes: number): number {
    const opus = this.#opus;
    opus.samples.set(frame);
    const length = opus.encode(this.#stream, frame.length, maxBytes);
    assert(length > 0, 'a frame cannot be encoded');
    const { packet } = opus;
    for (let i = 0; i < length; i++) out[at + i] = packet[i]!;
    return length;
  }

  free(): void {
    this.#opus.close(this.#stream);
    this.#stream = CLOSED;
  }

  #set(request: number, value: number): void {
    assert(this.#opus.control(this.#stream, request, value) === 0, 'libopus knows the request');
  }
}

/**
 * Decoder of one stream. Its methods return the number of samples written to `out` from `at`; 0 means an invalid
 * packet.
 */
export class OpusDecoder {
  readonly #opus: LibOpus;
  #stream: number;

  /** Throws when libopus cannot open another decoder on this thread. */
  constructor(opus: LibOpus, rateHz: OpusRateHz) {
    this.#opus = opus;
    this.#stream = opus.openDecoder(rateHz);
    if (this.#stream <= 0) throw new Error(`no Opus decoder: libopus says ${this.#stream}`);
  }

  /** Decodes a packet that lasts at most `samples`. */
  decode(payload: Payload, out: Int16Array, at: number, samples: number): number {
    return this.#copy(this.#run(payload, samples, 0), out, at);
  }

  /**
   * Recovers the `samples` lost right before this packet: from its in-band FEC if present, otherwise by concealment.
   */
  recover(payload: Payload, out: Int16Array, at: number, samples: number): number {
    return this.#copy(this.#run(payload, samples, 1), out, at);
  }

  /** Generates missing audio: loss concealment, or comfort noise after DTX. `samples` is a multiple of 2.5 ms. */
  conceal(out: Int16Array, at: number, samples: number): number {
    return this.#copy(this.#opus.decode(this.#stream, 0, samples, 0), out, at);
  }

  /** Resets the decoder for another stream. */
  reset(): void {
    assert(this.#opus.control(this.#stream, OPUS_RESET_STATE, 0) === 0, 'libopus knows the request');
  }

  free(): void {
    this.#opus.close(this.#stream);
    this.#stream = CLOSED;
  }

  #run({ bytes, payloadOffset, payloadLength }: Payload, samples: number, fec: number): number {
    if (payloadLength < 1 || payloadLength > MAX_OPUS_PACKET_BYTES) return 0;
    const { packet } = this.#opus;
    for (let i = 0; i < payloadLength; i++) packet[i] = bytes[payloadOffset + i]!;
    return this.#opus.decode(this.#stream, payloadLength, samples, fec);
  }

  #copy(count: number, out: Int16Array, at: number): number {
    const { samples } = this.#opus;
    for (let i = 0; i < count; i++) out[at + i] = samples[i]!;
    return Math.max(count, 0);
  }
}
