import type { Address } from '../../base/address.ts';
import type { InboundReaction } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { findPlatformMessage, type Message } from '../../store/messages/messages.ts';
import { listConversationsIn } from '../../store/messages/spaces.ts';
import { announce } from '../inbox/announce.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { conversationsAt, receiversOf } from './receivers.ts';
import { shownName } from './shown-name.ts';

/** The longest name of an emoji that is kept, in UTF-16 units. */
const MAX_EMOJI = 100;
/** Conversations of a space in which the message is looked for, if the platform does not tell the thread. */
const MAX_THREADS = 200;

/** Announces a reaction to a message of the store as a `dm_reaction` event. */
export async function receiveReaction(
  { store, platform, clock, wakeups, onIgnoredReaction }: IntakeDomain,
  from: Address,
  { platformMessageId, emoji, isAdded, senderName }: InboundReaction,
): Promise<void> {
  const accountId = await store.db.transaction().execute(async (trx) => {
    const found = await findReacted(trx, platform, from, platformMessageId);
    if (!found || !store.quota.hasReserve(found.message.accountId)) return null;
    const { message, conversation } = found;
    const name = shownName(senderName) ?? (from.space.kind === 'direct' ? conversation.remoteName : null);
    const payload = {
      platform,
      message_id: message.id,
      emoji: emoji === null ? null : emoji.slice(0, MAX_EMOJI),
      action: isAdded ? 'added' : 'removed',
      person: { id: from.person, name },
    };
    await announce(trx, conversation, { type: 'dm_reaction', payload, createdAt: clock.nowIso() });
    return message.accountId;
  });
  if (accountId === null) onIgnoredReaction(platform);
  else wakeups.wake(accountId);
}

async function findReacted(
  trx: Db,
  platform: IntakeDomain['platform'],
  from: Address,
  platformMessageId: string,
): Promise<{ readonly message: Message; readonly conversation: Conversation } | null> {
  const receivers = await receiversOf(trx, platform, from, null);
  const here = await conversationsAt(trx, receivers, from);
  for (const conversation of here) {
    const message = await findPlatformMessage(trx, conversation.id, platformMessageId);
    if (message) return { message, conversation };
  }
  for (const { member } of receivers)
    for (const conversation of (await listConversationsIn(trx, member, from.space)).slice(0, MAX_THREADS)) {
      const message = await findPlatformMessage(trx, conversation.id, platformMessageId);
      if (message) return { message, conversation };
    }
  return null;
}
