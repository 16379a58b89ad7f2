import { type Attendee, PERMISSION, type TalkSession } from './attendee.ts';
import type { FakeRoom } from './fake-room.ts';
import type { NcWorld } from './nc-world.ts';
import { wireMessage } from './wire-message.ts';

/** A conversation as its API of version 4 gives it to a participant. `session`: the one of the request, if it has joined. */
export function wireRoom(
  { world, origin }: { readonly world: NcWorld; readonly origin: string },
  room: FakeRoom,
  attendee: Attendee,
  session: TalkSession | null,
): Record<string, unknown> {
  const { user } = attendee;
  const { recordingConsent } = world.policy;
  const isKeptOut = room.hasLobby && !attendee.isModerator;
  const last = room.messages.findLast(
    ({ verb }) => verb === 'comment' || verb === 'object_shared' || verb === 'system',
  );
  const hasCall = room.call.since > 0;
  const otherId = [...room.attendees.keys()].find((uid) => uid !== user.uid);
  return {
    id: room.id,
    token: room.token,
    type: room.type,
    name: room.kind === 'one-to-one' ? (otherId ?? room.name) : room.name,
    displayName: room.nameFor(user.uid),
    objectType: '',
    objectId: '',
    participantType: attendee.type,
    participantFlags: session?.inCall ?? 0,
    readOnly: room.isReadOnly ? 1 : 0,
    hasPassword: false,
    hasCall: hasCall && !isKeptOut,
    callStartTime: room.call.since,
    callRecording: 0,
    canStartCall: !isKeptOut && mayStartCalls(world.policy.startCalls, attendee),
    lastActivity: room.chat.lastActivity,
    lastReadMessage: 0,
    unreadMessages: isKeptOut ? 0 : room.messages.filter(({ verb }) => verb === 'comment').length,
    unreadMention: false,
    unreadMentionDirect: false,
    isFavorite: false,
    canLeaveConversation: true,
    canDeleteConversation: room.kind !== 'one-to-one' && attendee.isModerator,
    notificationLevel: room.kind === 'one-to-one' ? 1 : 2,
    notificationCalls: 1,
    lobbyState: room.hasLobby ? 1 : 0,
    lobbyTimer: 0,
    lastPing: session?.lastPing ?? 0,
    sessionId: session?.id ?? '0',
    lastMessage: isKeptOut || !last ? [] : wireMessage({ world, origin, room, viewer: user }, last),
    sipEnabled: 0,
    actorType: 'users',
    actorId: user.uid,
    attendeeId: attendee.id,
    permissions: attendee.effectivePermissions,
    attendeePermissions: attendee.permissions,
    callPermissions: 0,
    defaultPermissions: 0,
    canEnableSIP: false,
    attendeePin: '',
    description: '',
    lastCommonReadMessage: 0,
    listable: 0,
    callFlag: room.call.flags,
    messageExpiration: room.chat.expiration,
    avatarVersion: '',
    isCustomAvatar: false,
    breakoutRoomMode: 0,
    breakoutRoomStatus: 0,
    recordingConsent: recordingConsent === 2 ? Number(room.wantsConsent) : recordingConsent,
    mentionPermissions: 0,
    isArchived: false,
    isImportant: false,
    isSensitive: false,
  };
}

/** Guests aside, of whom there are none. Clients go by it; Nextcloud refuses only where nobody may. */
function mayStartCalls(whoMay: number, attendee: Attendee): boolean {
  if (whoMay === 2 && !attendee.isModerator) return false;
  return whoMay !== 3 && attendee.may(PERMISSION.startCall);
}
