import type { Payload } from '../../../../audio/payload.ts';
import type { OpusRequest } from '../../media-protocol.ts';

/** The two halves of a leg's codec. Samples are at the half's own rate, ticks are RTP's clock. */

/** From payloads to samples. It keeps what a stream needs from one packet to the next. */
export interface VoiceDecoder {
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  readonly maxPayloadBytes: number;
  readonly maxPacketSamples: number;
  /** How long a payload lasts, in ticks; 0: it is none of this codec's. */
  packetTicks(bytes: Uint8Array, offset: number, length: number): number;
  /** Whether nobody would miss the payload. */
  isQuiet(bytes: Uint8Array, offset: number, length: number): boolean;
  /** Decodes a payload that lasts `samples` into `out` from `at` on. */
  decode(payload: Payload, out: Int16Array, at: number, samples: number): void;
  /** Makes `samples` up that were lost. `next` is the payload right after them; empty: it is not here. */
  conceal(next: Payload, out: Int16Array, at: number, samples: number): void;
  /** Fills `samples` during which the sender says nothing. */
  pause(out: Int16Array, at: number, samples: number): void;
  /** Likewise, but there is no stream. */
  rest(out: Int16Array, at: number, samples: number): void;
  /** A packet was left out on purpose. */
  skip(): void;
  /** Another stream follows. */
  restart(): void;
  close(): void;
}

/** From frames of 20 ms to payloads. */
export interface VoiceEncoder {
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  /** Does what the peer's decoder asks for; null: it asks for nothing. */
  adapt(request: OpusRequest | null): void;
  /** So many percent of the packets do not reach the peer: the encoder may send what makes that good; 0: all come. */
  expectLoss(percent: number): void;
  /** Writes at most MAX_SENT_PAYLOAD_BYTES to `out` from `at` on; returns how many. `voiced` false: silence. */
  encode(frame: Int16Array, voiced: boolean, out: Uint8Array, at: number): number;
  close(): void;
}

export const MAX_SENT_PAYLOAD_BYTES = 400;
