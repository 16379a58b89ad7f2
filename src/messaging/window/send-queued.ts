import { withDeadline } from '../../base/waits.ts';
import type { SendOutcome } from '../../connectors/contract/messenger.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { changeMessageStatus, type Message } from '../../store/messages/messages.ts';
import { recordOutcome } from '../outbox/record-outcome.ts';
import { sendStored } from '../outbox/stored-message.ts';
import type { QueueDomain } from './queue-domain.ts';

/** A message with large files takes long. */
const DEADLINE_MS = 60_000;

/**
 * Tries once to send a queued message. Its status is `sending` only during the attempt: after a crash it is `pending`
 * unless it may have been sent. Undefined: the message is no longer queued.
 */
export async function sendQueued(
  domain: QueueDomain,
  conversation: Conversation,
  message: Message,
  closing: AbortSignal,
): Promise<SendOutcome | undefined> {
  const { store, clock } = domain;
  const { db } = store;
  // A restart must not treat it as never started.
  const background = message.background && 'begun';
  const change = { status: 'sending', background } as const;
  const step = { from: ['pending'], change } as const;
  if (!(await changeMessageStatus(db, message.seq, step, clock.nowIso()))) return undefined;
  const outcome = await attempt(domain, message.id, closing);
  if (outcome.kind === 'later') {
    await changeMessageStatus(
      db,
      message.seq,
      { from: ['sending'], change: { status: 'pending' } },
      clock.nowIso(),
    );
  } else if (outcome.kind !== 'window_closed') {
    await recordOutcome(db, clock, { message, conversation }, outcome);
    domain.wakeups.wake(conversation.accountId);
  }
  if (outcome.kind === 'sent') domain.count(conversation.platform, 'flushed');
  return outcome;
}

/** A messenger that throws, which is a bug, leaves the outcome unknown. */
async function attempt(domain: QueueDomain, messageId: string, closing: AbortSignal): Promise<SendOutcome> {
  try {
    return await withDeadline(domain.clock, DEADLINE_MS, closing, (signal) =>
      sendStored(domain, messageId, signal),
    );
  } catch (error) {
    domain.onFailure(error);
    return { kind: 'unknown', reason: 'Sending the message failed', sentIds: [] };
  }
}
