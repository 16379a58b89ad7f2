/** What signaling and a WebRTC peer connection exchange about the paths between two peers (RFC 8445). */

/** A STUN or TURN server (RFC 7064, RFC 7065). */
export interface IceServer {
  /** `turn:host:port?transport=udp` */
  readonly urls: readonly string[];
  readonly username?: string;
  readonly credential?: string;
  /** What its certificate is for, where the URLs have its address in place of its name. */
  readonly serverName?: string;
}

/** As browsers have it: the SDP attribute without `a=`, and the media it is for. */
export interface IceCandidate {
  readonly candidate: string;
  readonly sdpMid: string | null;
  readonly sdpMLineIndex: number | null;
}

/** Scheme, host, port and transport (RFC 7064 and RFC 7065). The host is a name or an IPv4 address: nothing here speaks IPv6. */
export const ICE_URL = /^(stun|turns?):([\w.-]{1,253})(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/i;
