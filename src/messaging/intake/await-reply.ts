import { isoAfter } from '../../base/time.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { listUnanswered, timeoutTextsOf } from '../../store/messages/outbound-messages.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { writeNotice } from '../outbox/write-message.ts';
import type { ReceivedMessage } from './intake-domain.ts';
import { REPLY_MS } from './reply-watch.ts';

/**
 * Starts the reply timer for a person who has written directly, and shows them a typing indicator. In a channel, where
 * people also write to each other, neither happens.
 */
export async function awaitReply(
  domain: OutboundDomain,
  { conversationId, spaceKind }: Pick<ReceivedMessage, 'conversationId' | 'spaceKind'>,
): Promise<void> {
  if (spaceKind !== 'direct') return;
  domain.replies.begin(conversationId);
  const conversation = await findRow(domain.store.db, 'conversations', { id: conversationId });
  if (conversation) showWork(domain, conversation);
}

/**
 * Resumes the reply timers after a restart, for people who wrote within the reply window. Each timer starts from zero.
 */
export async function awaitReplies(domain: OutboundDomain): Promise<void> {
  const since = isoAfter(domain.clock.nowIso(), -REPLY_MS);
  for (const conversation of await listUnanswered(domain.store.db, since)) {
    domain.replies.begin(conversation.id);
    showWork(domain, conversation);
  }
}

/** The answer may have been sent meanwhile. */
function showWork({ replies, typing }: OutboundDomain, conversation: Conversation): void {
  if (replies.isWatched(conversation.id)) typing.start(conversation);
}

/**
 * Tells a person that no answer has come yet, in their agent's words or else the gateway's. Sends nothing if the text
 * is empty. Resolves when the platform has accepted or refused the message.
 */
export async function sendTimeoutText(domain: OutboundDomain, conversationId: string): Promise<void> {
  const conversation = await findRow(domain.store.db, 'conversations', { id: conversationId });
  if (conversation?.status !== 'active' || domain.outbox.isBusy(conversationId)) return;
  const text = await textFor(domain, conversation);
  if (text === '') return;
  domain.typing.stop(conversationId);
  await writeNotice(domain, conversationId, text);
}

/** With several agents, the default agent's text is used, else the oldest agent's. */
async function textFor(
  { store, timeoutText }: OutboundDomain,
  { memberType, memberId }: Conversation,
): Promise<string> {
  if (memberType === null || memberId === null) return '';
  const [own = null] = await timeoutTextsOf(store.db, { type: memberType, id: memberId });
  return own ?? timeoutText;
}
