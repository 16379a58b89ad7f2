import type { LoginRef } from '../../base/address.ts';
import { match } from '../../base/match.ts';
import type { Platform } from '../../base/platform.ts';
import { type Clock, dayOf } from '../../base/time.ts';
import type { LaterStatus, SendOutcome, SentMessage } from '../../connectors/contract/messenger.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { addPlatformMessageIds, type Message } from '../../store/messages/messages.ts';
import { attachedBytes, changeMessageStatus } from '../../store/messages/outbound-messages.ts';
import { findNamelessMessage, findSentMessages } from '../../store/messages/sent-messages.ts';
import { countUsage } from '../../store/people/usage.ts';
import { announceEnd, type MessageEnd } from '../inbox/announce.ts';
import type { IntakeDomain } from '../intake/intake-domain.ts';
import { memberOfLogin } from '../intake/receivers.ts';

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
    return await match(outcome, 'kind', {
      sent: (outcome) => recordSent(trx, { message, conversation }, outcome.platformMessageIds, nowIso),
      refused: async (outcome) => {
        if (outcome.isAddressGone)
          await changeRows(trx, 'conversations', { id: conversation.id }, { status: 'closed' });
      },
      unknown: (outcome) => addPlatformMessageIds(trx, message, outcome.sentIds),
    });
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

/**
 * Applies a platform's later report about a sent message. Returns false when the message is still being sent and its
 * outcome is not stored yet. Ignores messages that the gateway did not send.
 */
export async function followSent(
  domain: IntakeDomain,
  login: LoginRef,
  sent: SentMessage,
  status: LaterStatus,
): Promise<boolean> {
  const followed = await domain.store.db.transaction().execute(async (trx) => {
    const messages = await findFollowed(trx, domain.platform, login, sent);
    if (messages.some((message) => message.status === 'sending')) return null;
    if (status.kind === 'window_closed') return { requeued: messages, changed: [] };
    const changed: Message[] = [];
    for (const message of messages) if (await change(domain, trx, message, status)) changed.push(message);
    return { requeued: [], changed };
  });
  if (followed === null) return false;
  for (const { accountId } of followed.changed) domain.wakeups.wake(accountId);
  for (const { id } of followed.requeued) await domain.queue?.cameBack(id);
  return true;
}

/**
 * Finds messages by the platform's id. If that id was never learned because the platform's answer got lost, finds the
 * message by our id and records the platform's id.
 */
async function findFollowed(
  trx: Db,
  platform: Platform,
  login: LoginRef,
  { platformMessageId, messageId }: SentMessage,
): Promise<Message[]> {
  const own = memberOfLogin(login);
  const named = await findSentMessages(trx, platform, own, platformMessageId);
  if (named.length > 0 || messageId === null) return named;
  const nameless = await findNamelessMessage(trx, platform, own, messageId);
  if (!nameless) return [];
  if (nameless.status !== 'sending') await addPlatformMessageIds(trx, nameless, [platformMessageId]);
  return [nameless];
}

/** Stores what a report says about a message. Returns whether the message's status changed. */
async function change(
  { clock }: IntakeDomain,
  trx: Db,
  message: Message,
  status: Exclude<LaterStatus, { kind: 'window_closed' }>,
): Promise<boolean> {
  const nowIso = clock.nowIso();
  return await match(status, 'kind', {
    delivered: async () => {
      const end = { status: 'delivered', error: null } as const;
      const isChanged = await changeMessageStatus(
        trx,
        message.seq,
        { from: ['unknown'], change: end },
        nowIso,
      );
      if (isChanged && message.background !== null) await announceEnd(trx, message, end, nowIso);
      return isChanged;
    },
    failed: async (status) => {
      // The agent may have been told that its message was delivered; the event corrects this.
      const end = { status: 'failed', error: status.reason } as const;
      const step = { from: ['delivered', 'unknown'], change: end } as const;
      const isChanged = await changeMessageStatus(trx, message.seq, step, nowIso);
      if (isChanged) await announceEnd(trx, message, end, nowIso);
      return isChanged;
    },
  });
}
