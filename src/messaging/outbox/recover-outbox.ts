import { unservedText } from '../../base/platform.ts';
import type { Messenger } from '../../connectors/contract/messenger.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Message } from '../../store/messages/messages.ts';
import { listUnderWay } from '../../store/messages/outbound-messages.ts';
import { recordOutcome } from './message-outcome.ts';
import type { Outbox, OutboxDeps, Outgoing } from './outbox.ts';
import { outboundOf } from './stored-message.ts';

const PAGE_SIZE = 100;
const RESEND_MS = 60_000;
/** Applies to background messages. Includes the time that platform logins take. */
const BACKGROUND_MS = 600_000;
const INTERRUPTED = 'The gateway restarted while the message was being sent';

/** What the recovery after a restart did. */
export interface Recovered {
  /** Messages that may or may not have arrived. */
  readonly unknown: number;
  /** Messages being sent again: the platform does not have them, or drops duplicates. */
  readonly resent: number;
  /** Messages that can no longer be sent and did not reach the platform. */
  readonly failed: number;
}

/**
 * Recovers the messages that an earlier process was sending. Call it once, before anything new is sent. `onFailure` is
 * called when the database fails while a message is sent again.
 */
export async function recoverOutbox(
  deps: OutboxDeps,
  outbox: Outbox,
  onFailure: (error: unknown) => void,
): Promise<Recovered> {
  const recovered = { unknown: 0, resent: 0, failed: 0 };
  for (let afterSeq = 0; ; ) {
    const page = await listUnderWay(deps.store.db, 'sending', afterSeq, PAGE_SIZE);
    for (const message of page) recovered[await recoverOne(deps, outbox, message, onFailure)]++;
    if (page.length < PAGE_SIZE) return recovered;
    afterSeq = page.at(-1)!.seq;
  }
}

async function recoverOne(
  deps: OutboxDeps,
  outbox: Outbox,
  message: Message,
  onFailure: (error: unknown) => void,
): Promise<keyof Recovered> {
  const { store, clock } = deps;
  const conversation = await findRow(store.db, 'conversations', { id: message.conversationId });
  if (!conversation) return 'unknown';
  const isBegun = message.background !== 'waiting';
  const again = await outgoingAgain(deps, { message, conversation }, isBegun);
  if (typeof again === 'string') {
    const outcome = isBegun
      ? ({ kind: 'unknown', reason: INTERRUPTED, sentIds: [] } as const)
      : ({ kind: 'refused', reason: again, isAddressGone: false } as const);
    await recordOutcome(store.db, clock, { message, conversation }, outcome);
    return isBegun ? 'unknown' : 'failed';
  }
  outbox.deliver(again, message.background === null ? RESEND_MS : BACKGROUND_MS).catch(onFailure);
  return 'resent';
}

/** Whether the platform would drop the message if it has it already, or what is sent takes the place of what is shown. */
function isDropped(
  { clock }: Pick<OutboxDeps, 'clock'>,
  { dropsDuplicatesForMs = 0 }: Messenger,
  { createdAt, shownId }: Message,
): boolean {
  if (shownId !== null) return true;
  return Date.parse(clock.nowIso()) - Date.parse(createdAt) < dropsDuplicatesForMs;
}

/** Returns the message, or the reason why it is not sent again: it might arrive twice or incomplete. */
async function outgoingAgain(
  deps: OutboxDeps,
  { message, conversation }: Pick<Outgoing, 'message' | 'conversation'>,
  isBegun: boolean,
): Promise<Outgoing | string> {
  const messenger = deps.messengers.get(conversation.platform);
  if (!messenger) return unservedText(conversation.platform);
  if (isBegun && !isDropped(deps, messenger, message)) return INTERRUPTED;
  const outbound = await outboundOf(deps, message, conversation);
  if ('kind' in outbound) return outbound.reason;
  const outgoing = { message, conversation, outbound };
  return isBegun ? { ...outgoing, mayHaveArrived: true } : outgoing;
}
