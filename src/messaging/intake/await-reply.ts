import { isoAfter } from '../../base/time.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import { listUnanswered } from '../../store/messages/outbound-messages.ts';
import type { OutboundDomain } from '../outbox/outbound-domain.ts';
import { REPLY_MS } from './reply-watch.ts';

/** Somebody wrote and waits for an answer: shows them that it is worked on, and notices when none comes in time. */
export async function awaitReply(domain: OutboundDomain, conversationId: string): Promise<void> {
  domain.replies.begin(conversationId);
  const conversation = await findAnyConversation(domain.store.db, conversationId);
  if (conversation) showWork(domain, conversation);
}

/** After a restart: goes on with those who have not waited too long yet; their time begins anew. */
export async function awaitReplies(domain: OutboundDomain): Promise<void> {
  const since = isoAfter(domain.clock.nowIso(), -REPLY_MS);
  for (const conversation of await listUnanswered(domain.store.db, since)) {
    domain.replies.begin(conversation.id);
    showWork(domain, conversation);
  }
}

/** The answer may have gone out meanwhile. */
function showWork({ replies, typing }: OutboundDomain, conversation: Conversation): void {
  if (replies.isWatched(conversation.id)) typing.start(conversation);
}
