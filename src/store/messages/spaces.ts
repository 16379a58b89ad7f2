import type { Member } from '../agents/agents.ts';
import { changeRows, type Db, findRow, listRows } from '../database/rows.ts';
import { type Conversation, emptyConversation, insertConversation } from './conversations.ts';
import type { MessagePlatform, SpaceKind } from './message-tables.ts';

/** A person's direct conversation with a platform account, or a channel. */
export interface Space {
  readonly kind: SpaceKind;
  /** The platform's permanent id of the person or channel. */
  readonly id: string;
}

/** A space, or a thread in it. */
export interface Place {
  readonly space: Space;
  /** The platform's id of the thread. Null: outside threads. */
  readonly thread: string | null;
}

/** A place on a platform, as known to one of our platform accounts. */
export interface Remote extends Place {
  readonly accountId: string;
  readonly platform: MessagePlatform;
  readonly member: Member;
  /** Another id of the same person, under which an older conversation may be stored. */
  readonly alias: string | null;
  /** The name of the person or channel. */
  readonly remoteName: string | null;
}

/** Returns where a conversation takes place. */
export function placeOf({
  spaceKind,
  remoteId,
  thread,
}: Pick<Conversation, 'spaceKind' | 'remoteId' | 'thread'>): Place {
  return { space: { kind: spaceKind, id: remoteId }, thread: thread || null };
}

/**
 * Opens the conversation at a place: creates it if there is none, sets it active, and stores changed names. Call it in
 * a transaction.
 */
export async function openConversation(db: Db, remote: Remote, nowIso: string): Promise<Conversation> {
  const known = await findConversationAt(db, remote.member, remote, remote.alias);
  if (!known) return await insertConversation(db, newConversation(remote, nowIso));
  const changed = {
    remoteId: remote.space.id,
    alias: remote.alias ?? known.alias,
    remoteName: remote.remoteName ?? known.remoteName,
    status: 'active' as const,
  };
  const opened = { ...known, ...changed };
  if (!isSameRemote(known, opened)) await changeRows(db, 'conversations', { id: known.id }, changed);
  return opened;
}

function isSameRemote(a: Conversation, b: Conversation): boolean {
  return (
    a.remoteId === b.remoteId && a.alias === b.alias && a.remoteName === b.remoteName && a.status === b.status
  );
}

/** Finds the conversation of a platform account at a place, by the permanent id or else by a person's alias. */
export async function findConversationAt(
  db: Db,
  member: Member,
  { space, thread }: Place,
  alias: string | null = null,
): Promise<Conversation | undefined> {
  const at = { memberType: member.type, memberId: member.id, spaceKind: space.kind, thread: thread ?? '' };
  const found = await findRow(db, 'conversations', { ...at, remoteId: space.id });
  if (found || alias === null) return found;
  const ofAlias = await findRow(db, 'conversations', { ...at, remoteId: alias });
  return ofAlias ?? (await findRow(db, 'conversations', { ...at, alias }));
}

/** Returns the conversations of a platform account in a space, in all threads. */
export async function listConversationsIn(
  db: Db,
  member: Member,
  { kind, id }: Space,
): Promise<Conversation[]> {
  const there = { memberType: member.type, memberId: member.id, remoteId: id, spaceKind: kind };
  return await listRows(db, 'conversations', there, ['thread']);
}

/** Changes the id of a conversation's space. Without a new alias the old one stays. */
export async function changeSpaceId(
  db: Db,
  conversationId: string,
  spaceId: string,
  alias: string | null,
): Promise<void> {
  const changed = { remoteId: spaceId, alias: alias ?? undefined };
  await changeRows(db, 'conversations', { id: conversationId }, changed);
}

function newConversation(
  { accountId, platform, member, space, thread, alias, remoteName }: Remote,
  nowIso: string,
): Conversation {
  return {
    ...emptyConversation(accountId, nowIso),
    platform,
    memberType: member.type,
    memberId: member.id,
    spaceKind: space.kind,
    remoteId: space.id,
    thread: thread ?? '',
    alias,
    remoteName,
  };
}
