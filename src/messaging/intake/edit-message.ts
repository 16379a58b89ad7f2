import type { Platform } from '../../base/platform.ts';
import type { Address } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/tables.ts';
import { changeMessageText, findPlatformMessage, type Message } from '../../store/messages/messages.ts';
import { announce } from '../inbox/announce.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { conversationsOf, receiversOf } from './receivers.ts';

interface Edit {
  readonly platformMessageId: string;
  readonly text: string;
}

/** Applies a person's edit of their message and announces it as a `dm_edited` event. */
export async function editMessage(
  { store, clock, wakeups }: IntakeDomain,
  platform: Platform,
  from: Address,
  { platformMessageId, text }: Edit,
): Promise<void> {
  const accountId = await store.db.transaction().execute(async (trx) => {
    const receivers = await receiversOf(trx, platform, from, null);
    for (const conversation of await conversationsOf(trx, receivers, from.remoteId)) {
      const message = await findEditable(trx, conversation.id, platformMessageId);
      if (!message) continue;
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

async function findEditable(
  trx: Db,
  conversationId: string,
  platformMessageId: string,
): Promise<Message | null> {
  const message = await findPlatformMessage(trx, conversationId, platformMessageId);
  return message?.direction === 'inbound' ? message : null;
}
