import { isoAfter } from '../../base/time.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import { listUnanswered } from '../../store/messages/outbound-messages.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { REPLY_MS } from './reply-watch.ts';

/** Starts the reply timer for a person who has written, and shows them a typing indicator. */
export async function awaitReply(domain: OutboundDomain, conversationId: string): Promise<void> {
  domain.replies.begin(conversationId);
  const conversation = await findAnyConversation(domain.store.db, conversationId);
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
