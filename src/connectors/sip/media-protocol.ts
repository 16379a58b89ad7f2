/** What the signaling half and the media half of a SIP leg tell each other across the thread boundary. */

/** Name of the media leg's factory in the engine worker. */
export const SIP_MEDIA_KIND = 'sip';

/** About a second of one call's packets, as the kernel counts them; a longer backlog would be too old to play. */
export const RECEIVE_BUFFER_BYTES = 65_536;

/** Opens two UDP sockets. RTP uses `rtpPort`, RTCP `rtpPort + 1` (RFC 3550 section 11). */
export interface SipMediaOpen {
  readonly bindHost: string;
  readonly rtpPort: number;
  /**
   * The room's rate, 8,000 or 48,000 Hz, fixed for the call: that of the codec it is expected to use. Whatever codec is
   * agreed on is brought to this rate.
   */
  readonly sampleRateHz: number;
  /**
   * Two descriptors (int32: RTP's, RTCP's) of sockets that are bound to the ports already, for the worker that opens the
   * leg first: it takes them and leaves `NO_DESCRIPTOR`, and a worker that opens it again binds sockets of its own.
   * Null: nothing is bound.
   */
  readonly bound: SharedArrayBuffer | null;
}

export const NO_DESCRIPTOR = -1;

/** A pair of bound sockets for `SipMediaOpen.bound`. */
export function offerDescriptors(rtp: number, rtcp: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(memory).set([rtp, rtcp]);
  return memory;
}

/** Whoever takes a descriptor owns the socket; nobody else gets it. `NO_DESCRIPTOR`: it is taken, or was never there. */
export function takeDescriptor(bound: SharedArrayBuffer | null, which: 'rtp' | 'rtcp'): number {
  if (bound === null) return NO_DESCRIPTOR;
  return Atomics.exchange(new Int32Array(bound), which === 'rtp' ? 0 : 1, NO_DESCRIPTOR);
}

/** By their names in SDP. RTP's clock is 8,000 Hz for G.711 and 48,000 Hz for Opus (RFC 7587 section 4.1). */
export type G711Name = 'PCMU' | 'PCMA';
export type SipCodec = G711Name | 'opus';

/** Outcome of an offer/answer exchange (RFC 3264), as the media half needs it. */
export interface SipMediaConfig {
  /**
   * Where the peer wants RTP and RTCP; `remoteRtcpPort` equals `remotePort` with rtcp-mux (RFC 5761). Null, with ports of
   * 0: nothing is sent until the peer's packets tell where it is.
   */
  readonly remoteHost: string | null;
  readonly remotePort: number;
  readonly remoteRtcpPort: number;
  /** False: the peer's address is private while its signaling comes from a public one, so that packets from it cannot come. */
  readonly remotePlausible: boolean;
  /** Where the peer's signaling comes from. */
  readonly signalingHost: string;
  /** The trunk's RTP may come from any address, and move during a call. */
  readonly behindNat: boolean;
  readonly codec: SipCodec;
  readonly payloadType: number;
  /** Payload type of telephone-event (RFC 4733); null when the peer does not take it. */
  readonly dtmfPayloadType: number | null;
  /**
   * Clock of the durations in events: that of the codec, or 8,000 beside Opus with peers that know no other. Their
   * timestamps are the codec's either way.
   */
  readonly dtmfClockRateHz: number;
  /** Null: the codec is not Opus. */
  readonly opus: OpusRequest | null;
  readonly sending: boolean;
  readonly receiving: boolean;
  /** SDES keys (RFC 4568): 30 bytes of master key and salt each; null: plain RTP. */
  readonly srtp: SrtpKeys | null;
  /** Milliseconds without a packet, while `receiving`, before `stalled` is told. */
  readonly mediaTimeoutMs: number;
}

/** What the peer's decoder asks of our encoder (RFC 7587 section 6.1). */
export interface OpusRequest {
  /** 6,000 to 510,000 bit/s; null: whatever we like. */
  readonly maxBitrateBps: number | null;
  /** It can make use of in-band FEC; to others it would be a waste. */
  readonly inbandFec: boolean;
}

export interface SrtpKeys {
  readonly suite: 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32';
  readonly localKey: Uint8Array;
  readonly remoteKey: Uint8Array;
}

/** Passing requests. DTMF by RFC 4733 when negotiated; rejects otherwise. */
export type SipMediaCommand = { readonly type: 'dtmf'; readonly digits: string };
