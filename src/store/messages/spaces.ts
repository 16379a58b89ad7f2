import type { MemberType } from '../agents/agent-tables.ts';
import type { Member } from '../agents/agents.ts';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
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
  if (!isSameRemote(known, opened)) await setRemote(db, opened);
  return opened;
}

function isSameRemote(a: Conversation, b: Conversation): boolean {
  return (
    a.remoteId === b.remoteId && a.alias === b.alias && a.remoteName === b.remoteName && a.status === b.status
  );
}

const setRemote = prepared(
  (
    db,
    {
      id,
      remoteId,
      alias,
      remoteName,
      status,
    }: Pick<Conversation, 'id' | 'remoteId' | 'alias' | 'remoteName' | 'status'>,
  ) => db.updateTable('conversations').set({ remoteId, alias, remoteName, status }).where('id', '=', id),
);

/** Finds the conversation of a platform account at a place, by the permanent id or else by a person's alias. */
export async function findConversationAt(
  db: Db,
  member: Member,
  { space, thread }: Place,
  alias: string | null = null,
): Promise<Conversation | undefined> {
  const at = { memberType: member.type, memberId: member.id, spaceKind: space.kind, thread: thread ?? '' };
  const [found] = (await byRemoteId(db, { ...at, remoteId: space.id })).rows;
  if (found || alias === null) return found;
  const ofAlias = { ...at, remoteId: alias };
  return (await byRemoteId(db, ofAlias)).rows[0] ?? (await byAlias(db, ofAlias)).rows[0];
}

interface RemoteOfMember {
  readonly memberType: MemberType;
  readonly memberId: string;
  readonly spaceKind: SpaceKind;
  readonly thread: string;
  readonly remoteId: string;
}

const byRemoteId = prepared((db, remote: RemoteOfMember) =>
  ofMember(db, remote).where('remoteId', '=', remote.remoteId),
);

const byAlias = prepared((db, remote: RemoteOfMember) =>
  ofMember(db, remote).where('alias', '=', remote.remoteId),
);

function ofMember(db: Db, { memberType, memberId, spaceKind, thread }: RemoteOfMember) {
  return db
    .selectFrom('conversations')
    .selectAll()
    .where('memberType', '=', memberType)
    .where('memberId', '=', memberId)
    .where('spaceKind', '=', spaceKind)
    .where('thread', '=', thread);
}

/** Returns the conversations of a platform account in a space, in all threads. */
export async function listConversationsIn(
  db: Db,
  member: Member,
  { kind, id }: Space,
): Promise<Conversation[]> {
  return await db
    .selectFrom('conversations')
    .selectAll()
    .where('memberType', '=', member.type)
    .where('memberId', '=', member.id)
    .where('remoteId', '=', id)
    .where('spaceKind', '=', kind)
    .orderBy('thread')
    .execute();
}

/** Changes the id of a conversation's space. Without a new alias the old one stays. */
export async function changeSpaceId(
  db: Db,
  conversationId: string,
  spaceId: string,
  alias: string | null,
): Promise<void> {
  await db
    .updateTable('conversations')
    .set(alias === null ? { remoteId: spaceId } : { remoteId: spaceId, alias })
    .where('id', '=', conversationId)
    .execute();
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
