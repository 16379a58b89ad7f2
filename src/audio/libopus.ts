/**
 * One libopus implementation on one thread. Encoders and decoders are streams, identified by positive numbers. All
 * streams share the scratch buffers for packets and samples. Functions that fail return a negative error code
 * (opus_defines.h).
 */
export interface LibOpus {
  /** Human-readable name of the implementation. */
  readonly library: string;
  /** Packet buffer of MAX_OPUS_PACKET_BYTES. Opening a stream replaces the object. */
  readonly packet: Uint8Array;
  /** Sample buffer of MAX_OPUS_FRAME_SAMPLES. Opening a stream replaces the object. */
  readonly samples: Int16Array;
  /** Opens a mono encoder for voice. */
  openEncoder(rateHz: number): number;
  openDecoder(rateHz: number): number;
  /** Closes a stream. Does nothing when it is already closed. */
  close(stream: number): void;
  control(stream: number, request: number, value: number): number;
  /** Encodes the first `samples` of the sample buffer. Returns the length of the packet. */
  encode(stream: number, samples: number, maxBytes: number): number;
  /**
   * Decodes the first `bytes` of the packet buffer. With 0 bytes it conceals a loss; with `fec` 1 it recovers the audio
   * before the packet.
   */
  decode(stream: number, bytes: number, samples: number, fec: number): number;
}

/** Three frames of the longest kind, and more than an ordinary network datagram holds. */
export const MAX_OPUS_PACKET_BYTES = 1_500;
/** RFC 6716 section 2.1.4: a packet lasts at most 120 ms; here at 48 kHz. */
export const MAX_OPUS_FRAME_SAMPLES = 5_760;
/** More streams than a thread can serve in time. Reaching the limit means that streams are leaking. */
export const MAX_OPUS_STREAMS = 8_192;

/** Constants of libopus (opus_defines.h). */
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
export const OPUS_SIGNAL_MUSIC = 3002;
