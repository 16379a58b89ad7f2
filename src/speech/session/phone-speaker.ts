import type { CallIdentity } from '../../calls/call.ts';

/** The number or name of the other party of a phone call. */
export function phoneSpeaker({ direction, caller, meetingUrl }: CallIdentity): string {
  if (direction === 'inbound') return caller || 'unknown caller';
  return /^sips?:(?<user>[^@;?]+)(?:[;?][^@]*)?@/i.exec(meetingUrl)?.groups?.user ?? meetingUrl;
}
