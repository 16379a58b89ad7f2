import type { Address, Space } from '../../base/address.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { noteEarlyEdit } from '../../store/messages/early-edits.ts';
import { detachFiles, findPlatformMessage } from '../../store/messages/messages.ts';
import {
  changeSpaceId,
  findConversationAt,
  listConversationsIn,
  placeOf,
} from '../../store/messages/spaces.ts';
import { announce } from '../inbox/announce.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { conversationsAt, type Receiver, receiversOf } from './receivers.ts';

const UNREACHABLE: Readonly<Record<Space['kind'], string>> = {
  direct: 'This person no longer accepts messages',
  channel: 'This channel no longer accepts messages',
};

/** Closes the conversations in a space that can no longer be reached, in all threads, or reopens them. */
export async function followReachability(
  { store, platform, wakeups }: IntakeDomain,
  address: Address,
  isReachable: boolean,
): Promise<void> {
  const { space } = address;
  const accountIds = await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, address, null);
    const status = isReachable ? 'ok' : UNREACHABLE[space.kind];
    for (const { member, connection } of receivers) {
      if (connection !== null) await changeRows(trx, 'connections', { id: member.id }, { status });
      for (const { id } of await listConversationsIn(trx, member, space))
        await changeRows(trx, 'conversations', { id }, { status: isReachable ? 'active' : 'closed' });
    }
    return receivers.map(({ accountId }) => accountId);
  });
  for (const accountId of accountIds) wakeups.wake(accountId);
}

/**
 * Follows a change of the permanent id of a person or channel. Where there is a conversation under the new id already,
 * that one continues and the old one stays as it is.
 */
export async function followRename(
  { store, platform }: IntakeDomain,
  before: Address,
  spaceId: string,
  alias: string | null,
): Promise<void> {
  const now = { ...before, space: { ...before.space, id: spaceId } };
  await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, before, null);
    // A channel belongs to one account, so a binding of the new id stays.
    const isTaken = before.space.kind === 'channel' && (await isBound(trx, platform, now));
    for (const receiver of receivers) {
      if (receiver.connection && !isTaken)
        await changeRows(trx, 'connections', { id: receiver.member.id }, { remoteId: spaceId });
      await moveConversations(trx, receiver, before.space, { spaceId, alias });
    }
  });
}

async function isBound(trx: Db, platform: IntakeDomain['platform'], address: Address): Promise<boolean> {
  return (await receiversOf(trx, platform, address, null)).some(({ connection }) => connection !== null);
}

async function moveConversations(
  trx: Db,
  { member }: Receiver,
  from: Space,
  { spaceId, alias }: { readonly spaceId: string; readonly alias: string | null },
): Promise<void> {
  for (const former of await listConversationsIn(trx, member, from)) {
    const { space, thread } = placeOf(former);
    const taken = await findConversationAt(trx, member, { space: { ...space, id: spaceId }, thread });
    if (!taken) await changeSpaceId(trx, former.id, spaceId, alias);
  }
}

/** Stands in for a message that its author has deleted. */
export const DELETED_TEXT = '[message deleted]';

/**
 * Applies a person's edit of their message, or its deletion (`edit` null), and announces it as a `dm_edited` event, if it
 * changes anything. If the message is not known yet, the edit waits for it.
 */
export async function editMessage(
  { store, platform, clock, wakeups }: IntakeDomain,
  from: Address,
  platformMessageId: string,
  edit: string | null,
): Promise<void> {
  const text = edit ?? DELETED_TEXT;
  const edited = await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, from, null);
    const [receiver] = receivers;
    // What strangers write is not stored, and so need not be remembered.
    if (receiver === undefined) return null;
    for (const conversation of await conversationsAt(trx, receivers, from)) {
      const message = await findPlatformMessage(trx, conversation.id, platformMessageId);
      if (message?.direction !== 'inbound') continue;
      if (message.text === text) return null;
      const createdAt = clock.nowIso();
      await changeRows(trx, 'messages', { seq: message.seq }, { text, changedAt: createdAt });
      if (edit === null) await detachFiles(trx, message.seq);
      const payload = { platform, message: { id: message.id, text } };
      await announce(trx, conversation, { type: 'dm_edited', payload, createdAt });
      return conversation;
    }
    const early = { platform, from, platformMessageId };
    await noteEarlyEdit(trx, early, { accountId: receiver.accountId, text: edit }, clock.nowIso());
    return null;
  });
  if (edited !== null) wakeups.wake(edited.accountId);
}
