import { unreachable } from '../../base/assert.ts';
import { type Clock, dayOf } from '../../base/time.ts';
import type { SendOutcome } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/tables.ts';
import { type Conversation, setConversationStatus } from '../../store/messages/conversations.ts';
import { addPlatformMessageIds, changeMessageStatus, type Message } from '../../store/messages/messages.ts';
import { attachedBytes } from '../../store/messages/outbound-messages.ts';
import { countUsage } from '../../store/people/usage.ts';
import { announceEnd, type MessageEnd } from './announce-end.ts';

/** An outcome that is not retried. */
export type FinalOutcome = Extract<SendOutcome, { readonly kind: 'sent' | 'refused' | 'unknown' }>;

interface Sending {
  readonly message: Message;
  readonly conversation: Conversation;
}

/**
 * Stores how sending a message ended: its status, its platform ids, the account's usage, and the event of a background
 * message. Closes the conversation, until the other side writes again, when that side can no longer be reached. Opens a
 * transaction of its own; do not call it within one.
 */
export async function recordOutcome(
  db: Db,
  clock: Pick<Clock, 'nowIso'>,
  { message, conversation }: Sending,
  outcome: FinalOutcome,
): Promise<void> {
  const nowIso = clock.nowIso();
  const end = endOf(outcome);
  await db.transaction().execute(async (trx) => {
    const change = { error: null, ...end };
    const isChanged = await changeMessageStatus(trx, message.seq, { from: ['sending'], change }, nowIso);
    if (isChanged && message.background !== null) await announceEnd(trx, message, end, nowIso);
    switch (outcome.kind) {
      case 'sent':
        await recordSent(trx, { message, conversation }, outcome.platformMessageIds, nowIso);
        return;
      case 'refused':
        if (outcome.isAddressGone) await setConversationStatus(trx, conversation.id, 'closed');
        return;
      case 'unknown':
        await addPlatformMessageIds(trx, message, outcome.sentIds);
        return;
      default:
        return unreachable(outcome);
    }
  });
}

function endOf(outcome: FinalOutcome): MessageEnd {
  if (outcome.kind === 'sent') return { status: 'delivered' };
  return { status: outcome.kind === 'refused' ? 'failed' : 'unknown', error: outcome.reason };
}

async function recordSent(
  db: Db,
  { message, conversation: { platform } }: Sending,
  platformMessageIds: readonly string[],
  nowIso: string,
): Promise<void> {
  await addPlatformMessageIds(db, message, platformMessageIds);
  if (platform === 'agent') return;
  const { accountId } = message;
  const bytes = await attachedBytes(db, message.seq);
  await countUsage(db, { accountId, platform, day: dayOf(nowIso), messages: 1, bytes });
}
