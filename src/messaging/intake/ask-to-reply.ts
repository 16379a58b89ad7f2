import { pause, withDeadline } from '../../base/waits.ts';
import type { Address, HasWindow, SendOutcome } from '../../connectors/contract/messenger.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { claimAsking, unclaimAsking } from '../../store/messages/queued-messages.ts';
import { addressOf } from '../outbox/stored-message.ts';
import { type QueueDomain, windowedMessenger } from '../window/queue-domain.ts';

/** The sender of a message waits at most this long for its template. */
const DEADLINE_MS = 10_000;

/**
 * Sends the template that asks a person to write, so that `text` can be sent afterwards. It is sent once per closed
 * window, for the first queued message. The claim is stored before the template is sent: a crash in between loses the
 * template but never sends it twice. Returns whether this call sent it.
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
  // A template that may have arrived is not sent again.
  if (kind !== 'sent' && kind !== 'unknown') await unclaimAsking(db, conversation.id);
  return kind === 'sent';
}

interface Question {
  readonly to: Address;
  readonly text: string;
}

/** Retries for as long as the platform answers "later" and there is time. */
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
