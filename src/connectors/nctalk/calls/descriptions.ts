import type { MeetingMedia } from '../../kit/meeting-media.ts';
import type { PeerData } from '../signaling/hpb-messages.ts';
import type { IceCandidate, TalkCommands, TalkOpen, TalkSignal } from '../voice/talk-protocol.ts';

/** What calls ask of their media on the bridge thread. */
export type CallMedia = Pick<MeetingMedia<TalkOpen, TalkCommands, TalkSignal>, 'command'>;

/** All of a person's media come as `video`; the other type is a shared screen. */
export const ROOM_TYPE = 'video';
/** Candidates that wait until the server knows what they belong to. */
const MAX_WAITING = 50;

/** Candidates of ours for one connection. The server takes them only once it has the description that they belong to. */
export class OwnCandidates {
  #waiting: IceCandidate[] = [];
  #send: ((candidate: IceCandidate) => void) | null = null;

  /** The server is ready for them. */
  begin(send: (candidate: IceCandidate) => void): void {
    this.#send = send;
    for (const candidate of this.#waiting.splice(0)) send(candidate);
  }

  add(candidate: IceCandidate): void {
    if (this.#send !== null) this.#send(candidate);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(candidate);
  }
}

export function offerData(sid: string, sdp: string): object {
  return { type: 'offer', sid, roomType: ROOM_TYPE, payload: { type: 'offer', sdp } };
}

export function answerData(sid: string, sdp: string): object {
  return { type: 'answer', sid, roomType: ROOM_TYPE, payload: { type: 'answer', sdp } };
}

export function candidateData(sid: string, candidate: IceCandidate): object {
  return { type: 'candidate', sid, roomType: ROOM_TYPE, payload: { candidate } };
}

/** Returns a candidate of the server's; null: there are no more. */
export function iceCandidate(
  candidate: NonNullable<NonNullable<PeerData['payload']>['candidate']>,
): IceCandidate | null {
  const { candidate: line, sdpMid = null, sdpMLineIndex = null } = candidate;
  return line ? { candidate: line, sdpMid, sdpMLineIndex } : null;
}
