import type { MediaProtocol } from '../media/media-protocol.ts';
import type { PacketRings } from '../media/packet-media.ts';

/** What a platform's signaling tells an RTP leg, which runs on another thread. */

/** A leg over UDP sockets of the engine thread, with one peer: RTCP, SRTP, symmetric RTP, DTMF. It has one voice. */
export const RTP_MEDIA: MediaProtocol<RtpOpen, RtpConfig, RtpCommands> = { kind: 'rtp' };

/**
 * A leg over packet rings, with many sources. Encryption, RTCP and everything else about the path are up to the
 * transport on a bridge thread, so every packet in the ring is authentic. It has MAX_VOICES voices: each of the first
 * seven sources has one to itself, all others share the last one.
 */
export const PACKET_MEDIA: MediaProtocol<PacketOpen, PacketConfig, Record<never, never>, VoiceSignal> = {
  kind: 'packets',
};

/** About one second of a call's packets, as counted by the kernel. A longer backlog would be too old to play. */
export const RECEIVE_BUFFER_BYTES = 65_536;

/** Opens two UDP sockets: RTP on `rtpPort`, RTCP on `rtpPort + 1` (RFC 3550 section 11). */
export interface RtpOpen {
  readonly bindHost: string;
  readonly rtpPort: number;
  /**
   * The room's sample rate, 8,000, 16,000 or 48,000 Hz, fixed for the call. It matches the codec the call is expected to use.
   * Audio of any other negotiated codec is resampled to it.
   */
  readonly sampleRateHz: number;
  /**
   * Two descriptors (int32: RTP, RTCP) of sockets already bound to the ports. The first worker that opens the leg takes
   * them and leaves `NO_DESCRIPTOR`; a worker that reopens the leg binds its own sockets. Null when nothing is bound.
   */
  readonly bound: SharedArrayBuffer | null;
}

export interface PacketOpen {
  readonly rings: PacketRings;
  /** The room's sample rate, as in RtpOpen. */
  readonly sampleRateHz: number;
  /**
   * What tells speakers apart: the SSRC, or the first CSRC where a conference forwards several speakers in one stream
   * (RFC 3550 section 5.1). A packet without CSRCs is its SSRC's. A transport removes CSRCs that name no speaker.
   */
  readonly speakers: 'ssrc' | 'csrc';
}

/**
 * A source now has this voice, counted from 0. Reported whenever a voice changes hands, and again after the call has
 * moved to another engine thread. A source keeps its voice while it is silent, until another one needs it after 10 s.
 * The last voice is shared, so it is never reported.
 */
export interface VoiceSignal {
  readonly type: 'voice';
  readonly voice: number;
  /** The CSRC where CSRCs tell speakers apart. */
  readonly ssrc: number;
}

/** The codec of all sources, and of what the leg sends. */
export interface PacketConfig {
  readonly codec: RtpCodec;
  readonly payloadType: number;
  /** Null when the codec is not Opus. */
  readonly opus: OpusRequest | null;
  readonly sending: boolean;
  readonly receiving: boolean;
}

export const NO_DESCRIPTOR = -1;

/** A pair of bound sockets for `RtpOpen.bound`. */
export function offerDescriptors(rtp: number, rtcp: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(memory).set([rtp, rtcp]);
  return memory;
}

/**
 * Takes a descriptor and ownership of its socket; each can be taken once. Returns `NO_DESCRIPTOR` when it is taken or
 * was never there.
 */
export function takeDescriptor(bound: SharedArrayBuffer | null, which: 'rtp' | 'rtcp'): number {
  if (bound === null) return NO_DESCRIPTOR;
  return Atomics.exchange(new Int32Array(bound), which === 'rtp' ? 0 : 1, NO_DESCRIPTOR);
}

/**
 * Encoding names of the codecs. The RTP clock is 8,000 Hz for G.711, also for G.722 though that samples at 16,000 Hz
 * (RFC 3551 section 4.5.2), and 48,000 Hz for Opus (RFC 7587 section 4.1).
 */
export type G711Name = 'PCMU' | 'PCMA';
export type RtpCodec = G711Name | 'G722' | 'opus';

/** A codec under the number that it has for one of both sides. */
export interface NumberedCodec {
  readonly codec: RtpCodec;
  readonly payloadType: number;
}

/** Telephone events (RFC 4733) of one clock rate. */
export interface EventFormat {
  readonly payloadType: number;
  readonly clockRateHz: number;
}

/** Outcome of an offer/answer exchange (RFC 3264) for the media half. */
export interface RtpConfig {
  /**
   * The peer's RTP and RTCP address. `remoteRtcpPort` equals `remotePort` with rtcp-mux (RFC 5761). Null, with ports of
   * 0, when nothing is sent until the peer's packets reveal its address.
   */
  readonly remoteHost: string | null;
  readonly remotePort: number;
  readonly remoteRtcpPort: number;
  /**
   * False when the peer's address is private but its signaling comes from a public one, so no packets can come from
   * that address.
   */
  readonly remotePlausible: boolean;
  /** Source address of the peer's signaling. */
  readonly signalingHost: string;
  /** The peer's RTP may come from any address, which may change during a call. */
  readonly behindNat: boolean;
  readonly codec: RtpCodec;
  readonly payloadType: number;
  /** Payload type of telephone-event (RFC 4733); null when the peer does not support it. */
  readonly dtmfPayloadType: number | null;
  /**
   * Clock rate of event durations: the codec's, or 8,000 Hz beside Opus for peers that support no other. Event
   * timestamps always use the codec's clock.
   */
  readonly dtmfClockRateHz: number;
  /**
   * What the peer may send besides, and from one packet to the next: the codecs and telephone events of both descriptions,
   * under the numbers of either.
   */
  readonly received: {
    readonly codecs: readonly NumberedCodec[];
    readonly events: readonly EventFormat[];
  };
  /** Null when the codec is not Opus. */
  readonly opus: OpusRequest | null;
  readonly sending: boolean;
  readonly receiving: boolean;
  /** SDES keys (RFC 4568): 30 bytes of master key and salt each. Null means plain RTP. */
  readonly srtp: SrtpKeys | null;
  /** Milliseconds without any packet of the peer, RTP or RTCP, while `receiving`, before `stalled` is emitted. */
  readonly mediaTimeoutMs: number;
}

/** What the platform wants of our encoder, and the peer's decoder (RFC 7587 section 6.1). */
export interface OpusRequest {
  /** 6,000 to 510,000 bit/s to encode at. Absent: 24,000, which suits speech. */
  readonly bitrateBps?: number;
  /** 6,000 to 510,000 bit/s; null when the peer sets no limit. */
  readonly maxBitrateBps: number | null;
  /** The peer's decoder can use in-band FEC; otherwise FEC would waste bandwidth. */
  readonly inbandFec: boolean;
}

export interface SrtpKeys {
  readonly suite: 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32';
  readonly localKey: Uint8Array;
  readonly remoteKey: Uint8Array;
}

/** One-off commands of an RTP leg. */
export interface RtpCommands {
  /**
   * Sends digits by RFC 4733. Rejects with `call_not_active` when the leg is closed, not configured or on hold, and
   * with `capability_missing` when the peer does not take DTMF.
   */
  dtmf(digits: string): void;
  /**
   * Sends digits by RFC 4733, and by tones in the audio while the peer does not take DTMF. Rejects with `call_not_active` as
   * `dtmf` does.
   */
  press(digits: string): void;
  /** Resolves once the peer has made a sound and then none for a second, but after at most so many milliseconds. */
  silence(mostMs: number): void;
}
