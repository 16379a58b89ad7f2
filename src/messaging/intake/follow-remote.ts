import type { Platform } from '../../base/platform.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import { updateConnection } from '../../store/logins/connections.ts';
import {
  findConversationWith,
  renameRemote,
  setConversationStatus,
} from '../../store/messages/conversations.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { conversationsOf, receiversOf } from './receivers.ts';

const UNREACHABLE = 'This person no longer accepts messages';

/** Closes the conversations with a person who can no longer be reached, or reopens them. */
export async function followReachability(
  { store, wakeups }: IntakeDomain,
  platform: Platform,
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

interface Rename {
  readonly before: Address;
  readonly remoteId: string;
  readonly alias: string | null;
}

/**
 * Follows a change of a person's permanent id. If they already have a conversation under the new id, that one continues
 * and the old one stays as it is.
 */
export async function followRename(
  { store }: IntakeDomain,
  platform: Platform,
  { before, remoteId, alias }: Rename,
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
