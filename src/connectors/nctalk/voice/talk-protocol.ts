import type { IceCandidate, IceServer } from '../../../media/ice.ts';
import type { PacketRings } from '../../../media/packet-media.ts';

import type { TransportProtocol } from '../../../media/transport.ts';

export type { IceCandidate, IceServer };

/**
 * What a call, on the main thread, and its media, on a bridge thread, exchange. There is a peer connection for what the agent
 * says, and one for each person who is heard. Signaling is on the main thread.
 */

export interface TalkOpen {
  readonly rings: PacketRings;
  /** As Nextcloud's settings name them, with addresses that were checked. */
  readonly iceServers: readonly IceServer[];
}

/** A connection is named by the signaling session of the person who is heard; the agent's own by `OWN`. */
export const OWN = '';
/** People of one call who are heard at once: those who have spoken last. */
export const MAX_SUBSCRIPTIONS = 24;

export interface TalkCommands {
  /** Makes the agent's connection, in place of a former one, and returns its offer. */
  publish(): string;
  /** Takes the answer to the agent's offer. */
  answered(sdp: string): void;
  /** Makes a connection for a person, in place of a former one, and returns the answer to their offer. */
  subscribe(personId: string, offer: string): string;
  unsubscribe(personId: string): void;
  /** Takes a candidate of the other side; one that comes before the description waits. Null: there are no more. */
  candidate(connection: string, candidate: IceCandidate | null): void;
}

export type TalkSignal =
  /** A candidate of ours. */
  | { readonly type: 'candidate'; readonly connection: string; readonly candidate: IceCandidate }
  | { readonly type: 'connected'; readonly connection: string }
  /** The connection has failed, or could not be made. */
  | { readonly type: 'failed'; readonly connection: string; readonly reason: string }
  /** This RTP stream has the voice of that person from now on. A person keeps theirs. */
  | { readonly type: 'stream'; readonly ssrc: number; readonly personId: string }
  | { readonly type: 'speaking'; readonly personId: string; readonly on: boolean };

export const TALK_TRANSPORT: TransportProtocol<TalkOpen, TalkCommands, TalkSignal> = {
  kind: 'nctalk-voice',
  // Keys live in the thread.
  recovery: 'rejoin',
};

/** Payload type of Opus in the rings, whatever each connection has negotiated. */
export const OPUS_PAYLOAD_TYPE = 111;
