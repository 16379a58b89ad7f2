import { dropsDuplicates } from '../connectors/contract/messenger.ts';
import { findAnyConversation } from '../store/conversations.ts';
import { listUnderWay, type Message } from '../store/messages.ts';
import type { Outbox, OutboxParts, Outgoing } from './outbox.ts';
import { recordOutcome } from './record-outcome.ts';
import { addressOf, filesOr, messengerOf, outboundOf } from './stored-message.ts';

const PAGE_SIZE = 100;
const RESEND_MS = 60_000;
const INTERRUPTED = 'The gateway was restarted while it was being sent';

/** What a restart found. */
export interface Recovered {
  /** Messages of which nobody knows whether they arrived. */
  readonly unknown: number;
  /** Messages on their way again, to platforms that drop what they have already. */
  readonly resent: number;
}

/**
 * Looks after the messages that an earlier process had under way. To be called once, before anything new is sent.
 * `onFailure` hears when the database fails while one is sent again.
 */
export async function recoverOutbox(
  parts: OutboxParts,
  outbox: Outbox,
  onFailure: (error: unknown) => void,
): Promise<Recovered> {
  const recovered = { unknown: 0, resent: 0 };
  for (let afterSeq = 0; ; ) {
    const page = await listUnderWay(parts.store.db, 'sending', afterSeq, PAGE_SIZE);
    for (const message of page) recovered[await recoverOne(parts, outbox, message, onFailure)]++;
    if (page.length < PAGE_SIZE) return recovered;
    afterSeq = page.at(-1)!.seq;
  }
}

async function recoverOne(
  parts: OutboxParts,
  outbox: Outbox,
  message: Message,
  onFailure: (error: unknown) => void,
): Promise<keyof Recovered> {
  const { store, clock } = parts;
  const conversation = await findAnyConversation(store.db, message.conversationId);
  if (!conversation) return 'unknown';
  const again = await outgoingAgain(parts, { message, conversation });
  if (again === null) {
    const outcome = { kind: 'unknown', reason: INTERRUPTED, sentIds: [] } as const;
    await recordOutcome(store.db, clock, message, conversation, outcome);
    return 'unknown';
  }
  outbox.deliver(again, RESEND_MS).catch(onFailure);
  return 'resent';
}

/** Null: it might arrive twice, or not whole. */
async function outgoingAgain(
  parts: OutboxParts,
  { message, conversation }: Pick<Outgoing, 'message' | 'conversation'>,
): Promise<Outgoing | null> {
  const messenger = messengerOf(parts, conversation);
  if (!messenger || !dropsDuplicates(messenger)) return null;
  const to = await addressOf(parts.store.db, conversation);
  const files = await filesOr(parts, message.seq);
  if (to === null || typeof files === 'string') return null;
  return { message, conversation, outbound: outboundOf(message, to, files) };
}
