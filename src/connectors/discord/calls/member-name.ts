import { GuildMember, personName } from '../objects.ts';

/** Returns the name that a member shows in the server, of an event's `member`; null when it cannot be read. */
export function memberName(member: unknown): string | null {
  const { nick, user } = GuildMember.safeParse(member).data ?? {};
  if (nick) return nick;
  return user === undefined ? null : personName(user);
}
