import { pause, withDeadline } from '../../base/waits.ts';
import type { Address, HasWindow, SendOutcome } from '../../connectors/contract/messenger.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { claimAsking, unclaimAsking } from '../../store/messages/queued-messages.ts';
import { addressOf } from '../outbox/stored-message.ts';
import { type QueueDomain, windowedMessenger } from '../window/queue-domain.ts';

/** Whoever sends a message waits so long for its template. */
const DEADLINE_MS = 10_000;

/**
 * Asks somebody to write, so that `text` can be sent then: once in a closure, for its first message that waits. The
 * claim is on disk before the template goes out, so that a crash in between costs the template, never makes it two.
 * Returns whether this call sent it.
 */
export async function askToReply(
  domain: QueueDomain,
  conversation: Conversation,
  text: string,
  closing: AbortSignal,
): Promise<boolean> {
  const { db } = domain.store;
  const messenger = windowedMessenger(domain, conversation.platform);
  const to = await addressOf(db, conversation);
  if (!messenger || !to || !(await claimAsking(db, conversation.id))) return false;
  const { kind } = await withDeadline(domain.clock, DEADLINE_MS, closing, (signal) =>
    askUntilTaken(domain, messenger, { to, text }, signal),
  );
  domain.count(conversation.platform, kind === 'sent' ? 'template_sent' : 'template_failed');
  // One that may have arrived is not sent again.
  if (kind !== 'sent' && kind !== 'unknown') await unclaimAsking(db, conversation.id);
  return kind === 'sent';
}

interface Question {
  readonly to: Address;
  readonly text: string;
}

/** Whatever tells to come again later is asked again, for as long as there is time. */
async function askUntilTaken(
  { clock }: QueueDomain,
  messenger: HasWindow,
  { to, text }: Question,
  signal: AbortSignal,
): Promise<SendOutcome> {
  for (;;) {
    const outcome = await messenger.askToReply(to, text, signal);
    if (outcome.kind !== 'later') return outcome;
    await pause(clock, outcome.afterMs, signal);
    if (signal.aborted) return outcome;
  }
}
