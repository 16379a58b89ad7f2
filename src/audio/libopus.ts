/**
 * libopus on one thread, whatever it runs on. Encoders and decoders are streams: numbers above zero. Packets and
 * samples pass through scratch that all streams take turns with. What fails answers below zero (opus_defines.h).
 */
export interface LibOpus {
  /** Which one it is, as people may read it. */
  readonly library: string;
  /** MAX_OPUS_PACKET_BYTES long; another object after a stream was opened. */
  readonly packet: Uint8Array;
  /** MAX_OPUS_FRAME_SAMPLES long; likewise. */
  readonly samples: Int16Array;
  /** Mono, for voice. */
  openEncoder(rateHz: number): number;
  openDecoder(rateHz: number): number;
  /** Does nothing to a stream that is closed. */
  close(stream: number): void;
  control(stream: number, request: number, value: number): number;
  /** Encodes the first `samples`; returns the length of the packet. */
  encode(stream: number, samples: number, maxBytes: number): number;
  /** Decodes the first `bytes`, none: makes up what is missing; `fec` 1: what came before them. */
  decode(stream: number, bytes: number, samples: number, fec: number): number;
}

/** Three frames of the longest kind, and more than a datagram of the network's usual size holds. */
export const MAX_OPUS_PACKET_BYTES = 1_500;
/** RFC 6716 section 2.1.4: a packet lasts 120 ms at most, here at 48 kHz. */
export const MAX_OPUS_FRAME_SAMPLES = 5_760;
/** More streams than any thread can serve in time mean that some are not given back. */
export const MAX_OPUS_STREAMS = 8_192;

/** libopus' numbers (opus_defines.h). */
export const OPUS_BAD_ARG = -1;
export const OPUS_ALLOC_FAIL = -7;
export const OPUS_APPLICATION_VOIP = 2048;
export const OPUS_SET_BITRATE = 4002;
export const OPUS_SET_COMPLEXITY = 4010;
export const OPUS_SET_INBAND_FEC = 4012;
export const OPUS_SET_PACKET_LOSS_PERC = 4014;
export const OPUS_SET_SIGNAL = 4024;
export const OPUS_RESET_STATE = 4028;
export const OPUS_SIGNAL_VOICE = 3001;
