/** What the signaling half and the media half of a SIP leg tell each other across the thread boundary. */

/** Name of the media leg's factory in the engine worker. */
export const SIP_MEDIA_KIND = 'sip';

/** Opens two UDP sockets. RTP uses `rtpPort`, RTCP `rtpPort + 1` (RFC 3550 section 11). */
export interface SipMediaOpen {
  readonly bindHost: string;
  readonly rtpPort: number;
  /**
   * The room's rate, 8,000 or 48,000 Hz, fixed for the call: that of the codec it is expected to use. Whatever codec is
   * agreed on is brought to this rate.
   */
  readonly sampleRateHz: number;
}

/** By their names in SDP. RTP's clock is 8,000 Hz for G.711 and 48,000 Hz for Opus (RFC 7587 section 4.1). */
export type G711Name = 'PCMU' | 'PCMA';
export type SipCodec = G711Name | 'opus';

/** Outcome of an offer/answer exchange (RFC 3264), as the media half needs it. */
export interface SipMediaConfig {
  /** Where the peer wants RTP and RTCP; `remoteRtcpPort` equals `remotePort` with rtcp-mux (RFC 5761). */
  readonly remoteHost: string;
  readonly remotePort: number;
  readonly remoteRtcpPort: number;
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
