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
