import { type Attendee, PERMISSION, type TalkSession } from '../world/attendee.ts';
import type { FakeRoom } from '../world/fake-room.ts';

/** What the signaling server is told of a conversation. */
export function propertiesOf(room: FakeRoom, uid = ''): object {
  return {
    name: room.nameFor(uid),
    type: room.type,
    'lobby-state': room.hasLobby ? 1 : 0,
    'lobby-timer': null,
    'read-only': room.isReadOnly ? 1 : 0,
    listable: 0,
    'active-since': room.call.since === 0 ? null : dateOf(room.call.since),
    'sip-enabled': 0,
    description: '',
  };
}

export function permissionsOf(attendee: Attendee): string[] {
  const permissions = [];
  if (attendee.may(PERMISSION.publishAudio)) permissions.push('publish-audio');
  if (attendee.may(PERMISSION.publishVideo)) permissions.push('publish-video');
  if (attendee.may(PERMISSION.publishScreen)) permissions.push('publish-screen');
  if (attendee.isModerator) permissions.push('control');
  return permissions;
}

export function participantOf({ id, inCall, lastPing, attendee }: TalkSession): object {
  return {
    inCall,
    lastPing,
    sessionId: id,
    nextcloudSessionId: id,
    participantType: attendee.type,
    participantPermissions: attendee.effectivePermissions,
    actorType: 'users',
    actorId: attendee.user.uid,
    userId: attendee.user.uid,
    displayName: attendee.user.displayName,
  };
}

/** As PHP writes a date. */
function dateOf(unixTime: number) {
  const date = new Date(unixTime * 1_000).toISOString().replace('T', ' ').replace('Z', '000');
  return { date, timezone_type: 3, timezone: 'UTC' };
}
