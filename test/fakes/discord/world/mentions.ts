import type { FakeGuild } from './guild.ts';
import type { Mentions } from './message.ts';
import type { FakeUser } from './user.ts';

/** https://docs.discord.com/developers/resources/message#allowed-mentions-object */
export interface AllowedMentions {
  readonly parse?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  /** Whether the author of the message that is answered is notified. */
  readonly replied_user?: boolean | undefined;
}

/** What a text is read against. */
export interface MentionScope {
  readonly guild: FakeGuild | null;
  readonly users: ReadonlyMap<string, FakeUser>;
  /** Undefined: everything that the text mentions is notified. */
  readonly allowed: AllowedMentions | undefined;
  readonly mayMentionEveryone: boolean;
  /** The author of the message that this one answers. */
  readonly replied: FakeUser | null;
}

/** Whom a text notifies. */
export function mentionsIn(content: string, scope: MentionScope): Mentions {
  const { guild, users, allowed, replied } = scope;
  const isAllowed = (kind: 'users' | 'roles', id: string): boolean =>
    !allowed || (allowed.parse?.includes(kind) ?? false) || (allowed[kind]?.includes(id) ?? false);
  const named = new Map<string, FakeUser>();
  for (const id of idsIn(content, /<@!?(\d+)>/g)) {
    const user = users.get(id);
    if (user && isAllowed('users', id)) named.set(id, user);
  }
  if (replied && (allowed ? allowed.replied_user === true : true)) named.set(replied.id, replied);
  const roleIds = idsIn(content, /<@&(\d+)>/g).filter((id) => guild?.roles.has(id) && isAllowed('roles', id));
  const isEveryone =
    guild !== null &&
    scope.mayMentionEveryone &&
    /@(?:everyone|here)\b/.test(content) &&
    (!allowed || (allowed.parse?.includes('everyone') ?? false));
  return { users: [...named.values()], roleIds: [...new Set(roleIds)], isEveryone };
}

function idsIn(content: string, pattern: RegExp): string[] {
  return [...content.matchAll(pattern)].map(([, id = '']) => id);
}
