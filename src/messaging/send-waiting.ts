import { withDeadline } from '../base/waits.ts';
import { GatewayError } from '../base/errors.ts';
import type { SendOutcome } from '../connectors/contract/messenger.ts';
import type { Conversation } from '../store/conversations.ts';
import { changeMessageStatus, type Message } from '../store/messages.ts';
import type { QueueDomain } from './queue-domain.ts';

/** A message with large files takes long. */
const DEADLINE_MS = 60_000;

/**
 * Sends a message that waits, once. It is `sending` only meanwhile: a crash finds it `pending` unless it may have gone
 * out. Undefined: it waits no more.
 */
export async function sendWaiting(
  domain: QueueDomain,
  conversation: Conversation,
  message: Message,
  closing: AbortSignal,
): Promise<SendOutcome | undefined> {
  const { db, clock } = domain;
  if (!(await changeMessageStatus(db, message.seq, ['pending'], { status: 'sending' }, clock.nowIso()))) {
    return undefined;
  }
  const outcome = await attempt(domain, message.id, closing);
  if (outcome.kind === 'later') {
    await changeMessageStatus(db, message.seq, ['sending'], { status: 'pending' }, clock.nowIso());
  } else if (outcome.kind !== 'window_closed') {
    await domain.record(message, conversation, outcome);
    domain.wake(conversation.accountId);
  }
  if (outcome.kind === 'sent') domain.count(conversation.platform, 'flushed');
  return outcome;
}

/** A file that is gone, say, makes it one that was not sent; a bug leaves that open. */
async function attempt(domain: QueueDomain, messageId: string, closing: AbortSignal): Promise<SendOutcome> {
  try {
    return await withDeadline(domain.clock, DEADLINE_MS, closing, (signal) =>
      domain.sendStored(messageId, signal),
    );
  } catch (error) {
    if (error instanceof GatewayError) {
      return { kind: 'refused', reason: error.message, isAddressGone: false };
    }
    domain.onFailure(error);
    return { kind: 'unknown', reason: 'the gateway failed', sentIds: [] };
  }
}
