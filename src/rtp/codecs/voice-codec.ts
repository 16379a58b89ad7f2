import type { Payload } from '../../audio/payload.ts';
import type { OpusRequest } from '../rtp-protocol.ts';

/** The decoder and encoder of a leg. Samples are at their own rate; ticks are those of the RTP clock. */

/** What a decoder takes and yields. */
export interface DecoderFormat {
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  readonly maxPayloadBytes: number;
  readonly maxPacketSamples: number;
}

/** Decodes payloads to samples and keeps the stream's state between packets. */
export interface VoiceDecoder extends DecoderFormat {
  /** Duration of a payload in ticks; 0 when it is not valid for this codec. */
  packetTicks(bytes: Uint8Array, offset: number, length: number, payloadType: number): number;
  /** Whether dropping the payload would be inaudible. */
  isQuiet(bytes: Uint8Array, offset: number, length: number, payloadType: number): boolean;
  /** Decodes a payload that lasts `samples` into `out` from `at`. */
  decode(payload: Payload, out: Int16Array, at: number, samples: number): void;
  /** Conceals `samples` that were lost. `next` is the payload right after them, or empty when it has not arrived. */
  conceal(next: Payload, out: Int16Array, at: number, samples: number): void;
  /** Fills `samples` during which the sender is silent. */
  pause(out: Int16Array, at: number, samples: number): void;
  /** Fills `samples` during which there is no stream. */
  rest(out: Int16Array, at: number, samples: number): void;
  /** Records that a packet was dropped on purpose. */
  skip(): void;
  /** Prepares for another stream. */
  restart(): void;
  close(): void;
}

/** Encodes frames of 20 ms to payloads. */
export interface VoiceEncoder {
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  /** Applies the preferences of the peer's decoder; null when it has none. */
  adapt(request: OpusRequest | null): void;
  /** Sets the expected packet loss in percent, for which the encoder may add redundancy; 0 means no loss. */
  expectLoss(percent: number): void;
  /**
   * Writes at most MAX_SENT_PAYLOAD_BYTES to `out` from `at` and returns their number. `voiced` false: encode silence.
   */
  encode(frame: Int16Array, voiced: boolean, out: Uint8Array, at: number): number;
  close(): void;
}

export const MAX_SENT_PAYLOAD_BYTES = 400;
