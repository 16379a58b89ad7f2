import type { CallUser, HpbEvent, HpbMessage, JoinedSession } from './hpb-messages.ts';

/** What a signaling server tells of one room. */
export type RoomEvent =
  | { readonly type: 'joined'; readonly sessions: readonly JoinedSession[] }
  | { readonly type: 'left'; readonly sessionIds: readonly string[] }
  /** The state of these sessions has changed; of others nothing is said. */
  | { readonly type: 'users'; readonly users: readonly CallUser[] }
  /** Somebody has ended the call for everybody. */
  | { readonly type: 'call_ended' }
  /** The session is no longer in the room. */
  | { readonly type: 'removed'; readonly isDeleted: boolean }
  /** Everybody is asked to go on in another room, such as a breakout room. */
  | { readonly type: 'moved'; readonly roomToken: string }
  /** The properties of the room have changed, such as its lobby. */
  | { readonly type: 'changed' }
  | { readonly type: 'chat' };

const DELETED = 'deleted';

/** Returns what a message says of the room; null: nothing, or nothing that is known. */
export function roomEvent({ event, room }: HpbMessage, roomToken: string): RoomEvent | null {
  // Without an id it is no answer: the server has moved the session.
  if (room) return room.roomid === roomToken ? { type: 'changed' } : { type: 'removed', isDeleted: false };
  if (event === undefined) return null;
  switch (event.target) {
    case 'room':
      return inRoom(event, roomToken);
    case 'participants':
      return ofParticipants(event);
    case 'roomlist':
      return inList(event, roomToken);
    default:
      return null;
  }
}

function inRoom({ type, join, leave, switchto, message }: HpbEvent, roomToken: string): RoomEvent | null {
  switch (type) {
    case 'join':
    case 'change':
      return { type: 'joined', sessions: join };
    case 'leave':
      return { type: 'left', sessionIds: leave };
    case 'switchto':
      return switchto ? { type: 'moved', roomToken: switchto.roomid } : null;
    case 'message':
      return (message?.roomid ?? roomToken) === roomToken && isChat(message?.data) ? { type: 'chat' } : null;
    default:
      return null;
  }
}

function ofParticipants({ type, update }: HpbEvent): RoomEvent | null {
  if (type !== 'update' || update === undefined) return null;
  if (update.all !== true) return { type: 'users', users: update.users };
  return update.incall === 0 ? { type: 'call_ended' } : null;
}

function inList({ type, update, disinvite }: HpbEvent, roomToken: string): RoomEvent | null {
  if (type === 'update' && update?.roomid === roomToken) return { type: 'changed' };
  if (type === 'disinvite' && disinvite?.roomid === roomToken)
    return { type: 'removed', isDeleted: disinvite.reason === DELETED };
  return null;
}

/** Servers tell that there are messages, newer ones also which. */
function isChat(data: unknown): boolean {
  return (data as { readonly type?: unknown } | undefined)?.type === 'chat';
}
