import type { Address } from '../../connectors/contract/messenger.ts';
import { updateConnection } from '../../store/logins/connections.ts';
import {
  findConversationWith,
  renameRemote,
  setConversationStatus,
} from '../../store/messages/conversations.ts';
import { changeMessageText, findPlatformMessage } from '../../store/messages/messages.ts';
import { announce } from '../inbox/announce.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { conversationsOf, receiversOf } from './receivers.ts';

const UNREACHABLE = 'This person no longer accepts messages';

/** Closes the conversations with a person who can no longer be reached, or reopens them. */
export async function followReachability(
  { store, platform, wakeups }: IntakeDomain,
  address: Address,
  isReachable: boolean,
): Promise<void> {
  const accountIds = await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, address, null);
    const status = isReachable ? 'ok' : UNREACHABLE;
    for (const { member } of receivers.filter(({ connection }) => connection !== null))
      await updateConnection(trx, member.id, { status });
    for (const { id } of await conversationsOf(trx, receivers, address.remoteId))
      await setConversationStatus(trx, id, isReachable ? 'active' : 'closed');
    return receivers.map(({ accountId }) => accountId);
  });
  for (const accountId of accountIds) wakeups.wake(accountId);
}

/**
 * Follows a change of a person's permanent id. If they already have a conversation under the new id, that one continues
 * and the old one stays as it is.
 */
export async function followRename(
  { store, platform }: IntakeDomain,
  before: Address,
  remoteId: string,
  alias: string | null,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, before, null);
    for (const { member, connection } of receivers) {
      if (connection) await updateConnection(trx, member.id, { remoteId });
      const former = await findConversationWith(trx, member, before.remoteId);
      const taken = await findConversationWith(trx, member, remoteId);
      if (former && !taken) await renameRemote(trx, former.id, remoteId, alias);
    }
  });
}

/** Applies a person's edit of their message and announces it as a `dm_edited` event. */
export async function editMessage(
  { store, platform, clock, wakeups }: IntakeDomain,
  from: Address,
  platformMessageId: string,
  text: string,
): Promise<void> {
  const accountId = await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, from, null);
    for (const conversation of await conversationsOf(trx, receivers, from.remoteId)) {
      const message = await findPlatformMessage(trx, conversation.id, platformMessageId);
      if (message?.direction !== 'inbound') continue;
      const createdAt = clock.nowIso();
      await changeMessageText(trx, message.seq, text, createdAt);
      const payload = { platform, message: { id: message.id, text } };
      await announce(trx, conversation, { type: 'dm_edited', payload, createdAt });
      return conversation.accountId;
    }
    return null;
  });
  if (accountId !== null) wakeups.wake(accountId);
}
