import type { Address } from '../../base/address.ts';
import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { HasWindow, SendOutcome } from '../../connectors/contract/messenger.ts';
import { type Db, deleteRows, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { MessagePlatform, MessageStatus } from '../../store/messages/message-tables.ts';
import type { Message } from '../../store/messages/messages.ts';
import { changeMessageStatus } from '../../store/messages/outbound-messages.ts';
import {
  claimAsking,
  closeWindow,
  endQueued,
  haveWrittenSince,
  listUntold,
  unclaimAsking,
} from '../../store/messages/queued-messages.ts';
import { announce, announceMessage } from '../inbox/announce.ts';
import { recordOutcome } from '../outbox/message-outcome.ts';
import type { TurnOf } from '../outbox/sending-turns.ts';
import { addressOf, type SendingDeps, sendStored } from '../outbox/stored-message.ts';
import type { Waited } from './window-guard.ts';

/** A message with large files takes long. */
const SEND_MS = 60_000;
/** How long a queued message waits for its account's turn at a time. */
const TURN_WITHIN_MS = 30_000;
const NO_TURN = {
  kind: 'later',
  reason: 'Too many messages are being sent',
  afterMs: 1_000,
} as const satisfies SendOutcome;
/** The sender of a message waits at most this long for its template. */
const TEMPLATE_MS = 10_000;

/** Counted events of queued messages. */
export type QueueEvent = 'queued' | 'template_sent' | 'template_failed' | 'flushed' | 'dropped';

/** Dependencies for queued messages. Built once by the composition root. */
export interface QueueDomain extends SendingDeps {
  readonly clock: Clock;
  /** Wakes the requests that wait for news of an account. */
  readonly wakeups: { wake(accountId: string): void };
  readonly count: (platform: MessagePlatform, event: QueueEvent) => void;
  /** Called when background work fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Null: the platform has no service window. */
export function windowedMessenger(
  { messengers }: Pick<QueueDomain, 'messengers'>,
  platform: MessagePlatform,
): HasWindow | null {
  return messengers.get(platform)?.window ?? null;
}

/**
 * Statuses from which a message can be queued: when it is new, or when the platform rejected it, possibly after
 * accepting it.
 */
const NEW: readonly MessageStatus[] = ['sending', 'pending'];
const REFUSED: readonly MessageStatus[] = ['sending', 'delivered', 'unknown'];

/**
 * Queues a message; its age determines its position. `isRefused`: the platform says that the window is closed. Returns
 * the updated conversation. Undefined: the message is already queued or finished.
 */
export async function putInQueue(
  { store, clock }: Pick<QueueDomain, 'store' | 'clock'>,
  messageId: string,
  { isRefused, expiresAt }: { readonly isRefused: boolean; readonly expiresAt: string },
): Promise<Conversation | undefined> {
  return await store.db.transaction().execute(async (trx) => {
    const message = await findRow(trx, 'messages', { id: messageId });
    if (!message) return undefined;
    const change = { status: 'pending', expiresAt: message.expiresAt ?? expiresAt } as const;
    const from = isRefused ? REFUSED : NEW;
    if (!(await changeMessageStatus(trx, message.seq, { from, change }, clock.nowIso()))) return undefined;
    if (isRefused) await takeBack(trx, message);
    return await findRow(trx, 'conversations', { id: message.conversationId });
  });
}

/** A late rejection may refer to a closed window that the person's next message has since reopened. */
async function takeBack(trx: Db, message: Message): Promise<void> {
  await deleteRows(trx, 'platformMessages', { messageSeq: message.seq });
  const isOver = message.status === 'delivered' && (await haveWrittenSince(trx, message));
  if (!isOver) await closeWindow(trx, message.conversationId);
}

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
  const to = await addressOf(domain.store.db, conversation);
  const send = async () => await sendNow(domain, conversation, message, closing);
  return await inTurn(domain, turnOf(conversation, to), closing, send);
}

/** Waits for the account's turn to send something; what has none in time may be sent later. */
async function inTurn<Outcome extends SendOutcome | undefined>(
  { turns }: QueueDomain,
  whose: TurnOf,
  signal: AbortSignal,
  send: () => Promise<Outcome>,
): Promise<Outcome | typeof NO_TURN> {
  return (await turns.during(whose, { withinMs: TURN_WITHIN_MS, signal }, send)) ?? NO_TURN;
}

function turnOf({ accountId, platform }: Conversation, to: Address | null): TurnOf {
  return { accountId, platform, login: to?.login ?? null };
}

async function sendNow(
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
    const back = { from: ['sending'], change: { status: 'pending' } } as const;
    await changeMessageStatus(db, message.seq, back, clock.nowIso());
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
    return await withDeadline(domain.clock, SEND_MS, closing, (signal) =>
      sendStored(domain, messageId, signal),
    );
  } catch (error) {
    domain.onFailure(error);
    return { kind: 'unknown', reason: 'Sending the message failed', sentIds: [] };
  }
}

/**
 * Tells agents which queued messages have been sent since the last report, and then what the other side wrote
 * meanwhile: one `dm_delivered` event, then a `dm_chat` event per reply, in one transaction.
 */
export async function emitDelivered(
  { store, clock, wakeups }: QueueDomain,
  conversationId: string,
): Promise<void> {
  const accountId = await store.db.transaction().execute(async (trx) => {
    const conversation = await findRow(trx, 'conversations', { id: conversationId });
    if (!conversation) return null;
    const { delivered, replies } = await listUntold(trx, conversationId);
    await endQueued(trx, conversationId, [...delivered, ...replies]);
    if (delivered.length > 0) {
      const payload = { platform: conversation.platform, delivered_ids: delivered.map(({ id }) => id) };
      await announce(trx, conversation, { type: 'dm_delivered', payload, createdAt: clock.nowIso() });
    }
    for (const reply of replies) await announceMessage(trx, conversation, reply);
    return delivered.length + replies.length > 0 ? conversation.accountId : null;
  });
  if (accountId !== null) wakeups.wake(accountId);
}

/** Whether a call of `askToReply` sent the template, and why not, in the platform's words, if it tried. */
type Asked = Pick<Extract<Waited, { kind: 'waits' }>, 'templateSent' | 'templateError'>;

const NOT_ASKED: Asked = { templateSent: false };

/**
 * Sends the template that asks a person to write, so that `text` can be sent afterwards. It is sent once per closed
 * window, for the first queued message. The claim is stored before the template is sent: a crash in between loses the
 * template but never sends it twice.
 */
export async function askToReply(
  domain: QueueDomain,
  conversation: Conversation,
  text: string,
  closing: AbortSignal,
): Promise<Asked> {
  const { db } = domain.store;
  const messenger = windowedMessenger(domain, conversation.platform);
  const to = await addressOf(db, conversation);
  if (!messenger || !to || !(await claimAsking(db, conversation.id))) return NOT_ASKED;
  const outcome = await withDeadline(domain.clock, TEMPLATE_MS, closing, (signal) =>
    untilTaken(domain.clock, signal, () =>
      inTurn(domain, turnOf(conversation, to), signal, () => messenger.askToReply(to, text, signal)),
    ),
  );
  const { kind } = outcome;
  domain.count(conversation.platform, kind === 'sent' ? 'template_sent' : 'template_failed');
  // A template that may have arrived is not sent again.
  if (kind !== 'sent' && kind !== 'unknown') await unclaimAsking(db, conversation.id);
  return { templateSent: kind === 'sent', ...('reason' in outcome && { templateError: outcome.reason }) };
}

/** Retries for as long as the platform answers "later" and there is time. */
async function untilTaken(
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<SendOutcome>,
): Promise<SendOutcome> {
  for (;;) {
    const outcome = await ask();
    if (outcome.kind !== 'later') return outcome;
    await pause(clock, outcome.afterMs, signal);
    if (signal.aborted) return outcome;
  }
}
