import { once } from 'node:events';
import { GatewayError } from '../../base/errors.ts';
import { FairShare, type ReleasePlace, type ShareReading } from '../../base/fair-share.ts';
import { unservedText } from '../../base/platform.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { Messenger, OutboundMessage, SendOutcome } from '../../connectors/contract/messenger.ts';
import { changeRows, countRows, findRow, listRows } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { Message } from '../../store/messages/messages.ts';
import type { Waited, WindowGuard } from '../window/window-guard.ts';
import { type FinalOutcome, recordOutcome } from './message-outcome.ts';
import type { SendingDeps } from './stored-message.ts';
import type { WebhookAnswers } from './webhook-answers.ts';

/** Maximum number of messages waiting to be sent: per conversation, per account, and in total, which accounts share. */
export const MOST_WAITING_EACH = 100;
const MAX_PENDING_OF_ACCOUNT = 1_000;
const MAX_PENDING = 10_000;
/** Grace period for a messenger to report its outcome after it was aborted. */
const GRACE_MS = 2_000;
/** Minimum pause before a retry when the platform answers "later". */
const LEAST_PAUSE_MS = 100;

/** A stored message with status `sending`. */
export interface Outgoing {
  readonly message: Message;
  readonly conversation: Conversation;
  readonly outbound: OutboundMessage;
  /** An earlier process was sending it when it died. */
  readonly mayHaveArrived?: true;
}

/** The result of sending a message. */
export type Settled =
  | Waited
  /** The platform has not accepted it, and it is not retried. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It may have arrived. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The gateway is closing; the next start sends it. Background messages only. */
  | { readonly kind: 'left' };

/** The result of trying to send a message. */
type Tried = Exclude<SendOutcome, { kind: 'later' }> | { readonly kind: 'left' };

/** Whose message it is. */
export interface SentMessage {
  readonly platform: string;
  readonly accountId: string;
  readonly conversationId: string;
  readonly messageId: string;
}

export interface SendingObserver {
  /** `result`: the `kind` of the message's result. */
  messageSettled(message: SentMessage, result: string, lastedMs: number): void;
  /** A messenger threw, which is a bug. */
  messengerFailed(platform: string, error: unknown): void;
  /** Something was refused or skipped because too much of it is waiting. */
  queueFull(queue: 'outbox' | 'typing' | 'live' | 'replies' | 'webhook_answers'): void;
}

export interface OutboxDeps extends SendingDeps {
  readonly clock: Clock;
  /** Resolves when the platforms have been given all logins. Messages wait for it: without its login, one would fail. */
  readonly ready: Promise<void>;
  /** Null: no platform has a window. */
  readonly windows: WindowGuard | null;
  /** Webhooks that take a message as their answer. */
  readonly answers: Pick<WebhookAnswers, 'offer'>;
  /** Wakes the requests that wait for news of an account. */
  readonly wakeups: { wake(accountId: string): void };
  readonly observer: SendingObserver;
}

interface Lane {
  tail: Promise<void>;
  length: number;
}

/**
 * Sends stored messages. Messages of one conversation go out one at a time, in the order they were handed over. Each is
 * tried until the platform accepts or refuses it, or its time is up. The result is stored before it is reported.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new Map<string, Lane>();
  readonly #attempts = new Set<AbortController>();
  readonly #pending: FairShare;
  readonly #closing = new AbortController();
  readonly #closed = once(this.#closing.signal, 'abort');
  #isReady = false;

  constructor(deps: OutboxDeps) {
    const { clock } = deps;
    this.#deps = deps;
    const limits = { total: MAX_PENDING, each: MAX_PENDING_OF_ACCOUNT, mostWaiting: 0 };
    this.#pending = new FairShare({ clock, ...limits, keepsRoom: true });
    void deps.ready.then(() => {
      this.#isReady = true;
    });
  }

  /** Number of messages without a result. */
  get waiting(): number {
    return this.#pending.taken;
  }

  /** For metrics: the messages without a result, as accounts share the room for them. */
  get share(): ShareReading {
    return this.#pending;
  }

  /** Throws `too_many_messages`, or `not_ready` when the gateway is closing. */
  assertRoom(conversationId: string): void {
    if (this.#closing.signal.aborted) throw new GatewayError('not_ready', 'The gateway is closing');
    const inLane = this.#lanes.get(conversationId)?.length ?? 0;
    if (inLane >= MOST_WAITING_EACH) this.#refuse(MOST_WAITING_EACH, 'per conversation');
  }

  /** Limits one account across all its conversations, which leaves room for others. Throws `too_many_messages`. */
  assertRoomOf(accountId: string): void {
    if (!this.#pending.hasRoom(accountId))
      this.#refuse(MAX_PENDING_OF_ACCOUNT, 'per account, and fewer while many accounts send');
  }

  /** Returns whether a message of this conversation is being sent. */
  isBusy(conversationId: string): boolean {
    return this.#lanes.has(conversationId);
  }

  /** Sends a message within `withinMs`, including its wait in the queue. Rejects only when the database fails. */
  deliver(outgoing: Outgoing, withinMs: number): Promise<Settled> {
    const { id, accountId } = outgoing.conversation;
    const endMs = this.#deps.clock.monotonicMs() + withinMs;
    const lane = this.#lanes.get(id) ?? { tail: Promise.resolve(), length: 0 };
    this.#lanes.set(id, lane);
    const isFirst = lane.length === 0;
    lane.length++;
    const leavePlace = this.#pending.hold(accountId);
    const settled = lane.tail.then(() => this.#settle(outgoing, endMs, isFirst));
    const leave = () => this.#leave(id, lane, leavePlace);
    lane.tail = settled.then(leave, leave);
    return settled;
  }

  /**
   * Lets messages being sent finish within `deadlineMs`. Waiting messages fail; background messages are left to the
   * next start.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    const late = Promise.withResolvers<void>();
    const stop = setTimeout(() => this.#stopAttempts(), deadlineMs / 2);
    const deadline = setTimeout(late.resolve, deadlineMs);
    await Promise.race([Promise.all([...this.#lanes.values()].map(({ tail }) => tail)), late.promise]);
    clearTimeout(stop);
    clearTimeout(deadline);
  }

  #stopAttempts(): void {
    for (const attempt of this.#attempts) attempt.abort();
  }

  #refuse(most: number, where: string): never {
    this.#deps.observer.queueFull('outbox');
    throw new GatewayError('too_many_messages', `At most ${most} messages may be queued ${where}`);
  }

  #leave(conversationId: string, lane: Lane, leavePlace: ReleasePlace): void {
    lane.length--;
    leavePlace();
    if (lane.length === 0) this.#lanes.delete(conversationId);
  }

  async #settle(outgoing: Outgoing, endMs: number, isFirst: boolean): Promise<Settled> {
    const startMs = this.#deps.clock.monotonicMs();
    const settled = await this.#send(outgoing, endMs, isFirst);
    const { platform, accountId, id: conversationId } = outgoing.conversation;
    const sent = { platform, accountId, conversationId, messageId: outgoing.message.id };
    this.#deps.observer.messageSettled(sent, settled.kind, this.#deps.clock.monotonicMs() - startMs);
    this.#deps.wakeups.wake(accountId);
    return settled;
  }

  async #send(outgoing: Outgoing, endMs: number, isFirst: boolean): Promise<Settled> {
    const { store, clock, windows } = this.#deps;
    const { message, conversation } = outgoing;
    // An earlier message of the lane may have found the window closed.
    if (!isFirst && windows && (await this.#mustWait(windows, conversation.id)))
      return await windows.joined(message.id);
    const outcome = (await this.#isCut(message))
      ? refused('An earlier part was not sent')
      : await this.#tryUntil(outgoing, endMs);
    if (outcome.kind === 'left') return outcome;
    if (outcome.kind === 'window_closed' && windows) return await windows.cameBack(message.id);
    const last = outcome.kind === 'window_closed' ? refused('The recipient must write first') : outcome;
    // A platform that refuses it now may have accepted it before.
    const final = outgoing.mayHaveArrived && last.kind === 'refused' ? unheard(last.reason) : last;
    await recordOutcome(store.db, clock, { message, conversation }, final);
    return toldOf(final);
  }

  /** Whether the message continues one of which a part has failed: nobody should read on after a gap. */
  async #isCut({ partOf }: Message): Promise<boolean> {
    if (partOf === null) return false;
    const { db } = this.#deps.store;
    const failed = { status: ['failed', 'dropped'] } as const;
    const [first] = await listRows(db, 'messages', { id: partOf, ...failed });
    return first !== undefined || (await countRows(db, 'messages', { partOf, ...failed })) > 0;
  }

  /** A message already accepted may wait even when the queue is full for new ones. */
  async #mustWait(windows: WindowGuard, conversationId: string): Promise<boolean> {
    const { db } = this.#deps.store;
    const now = await findRow(db, 'conversations', { id: conversationId });
    if (now === undefined) return false;
    return await windows.mustWait(db, now).catch((error: unknown) => {
      if (error instanceof GatewayError) return true;
      throw error;
    });
  }

  async #tryUntil(outgoing: Outgoing, endMs: number): Promise<Tried> {
    const { clock, ready } = this.#deps;
    const isBackground = outgoing.message.background !== null;
    if (!this.#isReady) await Promise.race([ready, this.#closed]);
    let reason = 'Earlier messages of this conversation took too long to send';
    for (;;) {
      const leftMs = endMs - clock.monotonicMs();
      if (this.#closing.signal.aborted)
        return isBackground ? { kind: 'left' } : refused('The gateway is closing');
      if (leftMs <= 0) return refused(reason);
      const outcome = await this.#attemptInTurn(outgoing, endMs);
      if (outcome === null) {
        if (!this.#closing.signal.aborted) return refused('Too many messages are being sent');
        continue;
      }
      if (outcome.kind !== 'later') return outcome;
      reason = outcome.reason;
      const pauseMs = Math.max(LEAST_PAUSE_MS, outcome.afterMs);
      if (clock.monotonicMs() + pauseMs >= endMs) return refused(reason);
      await pause(clock, pauseMs, this.#closing.signal);
    }
  }

  /** Null: it was not the account's turn in time, or the gateway is closing. */
  async #attemptInTurn(outgoing: Outgoing, endMs: number): Promise<SendOutcome | null> {
    const { clock, turns } = this.#deps;
    const { message, conversation, outbound } = outgoing;
    const { accountId, platform } = conversation;
    const withinMs = endMs - clock.monotonicMs();
    const whose = { accountId, platform, login: outbound.to.login };
    return await turns.during(whose, { withinMs, signal: this.#closing.signal }, async () => {
      const leftMs = endMs - clock.monotonicMs();
      return message.background === null
        ? await this.#attempt(outgoing, leftMs)
        : await this.#attemptInBackground(outgoing, leftMs);
    });
  }

  /**
   * Marks the attempt as begun while it runs. After a crash during it, the message may have reached the platform;
   * before or after it, the message has not.
   */
  async #attemptInBackground(outgoing: Outgoing, leftMs: number): Promise<SendOutcome> {
    const { db } = this.#deps.store;
    const { seq } = outgoing.message;
    await changeRows(db, 'messages', { seq }, { background: 'begun' });
    const outcome = await this.#attempt(outgoing, leftMs);
    if (outcome.kind === 'later') await changeRows(db, 'messages', { seq }, { background: 'waiting' });
    return outcome;
  }

  async #attempt({ outbound, conversation }: Outgoing, leftMs: number): Promise<SendOutcome> {
    const { clock, observer } = this.#deps;
    const messenger = this.#deps.messengers.get(conversation.platform);
    if (!messenger) return refused(unservedText(conversation.platform));
    const attempt = new AbortController();
    const late = Promise.withResolvers<SendOutcome>();
    const stop = clock.after(leftMs, () => attempt.abort());
    const giveUp = clock.after(leftMs + GRACE_MS, () => late.resolve(unheard('The platform did not answer')));
    this.#attempts.add(attempt);
    try {
      const sent = this.#hand(conversation, messenger, outbound, attempt.signal);
      return await Promise.race([sent, late.promise]);
    } catch (error) {
      observer.messengerFailed(conversation.platform, error);
      return unheard('Sending the message failed');
    } finally {
      stop();
      giveUp();
      this.#attempts.delete(attempt);
    }
  }

  /** Hands the message to the webhook that waits for it, or else to the platform. */
  async #hand(
    { platform }: Conversation,
    messenger: Messenger,
    outbound: OutboundMessage,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    return (await this.#deps.answers.offer(platform, outbound)) ?? (await messenger.send(outbound, signal));
  }
}

function refused(reason: string): FinalOutcome {
  return { kind: 'refused', reason, isAddressGone: false };
}

function unheard(reason: string): FinalOutcome {
  return { kind: 'unknown', reason, sentIds: [] };
}

function toldOf(outcome: FinalOutcome): Settled {
  if (outcome.kind === 'sent') return { kind: 'delivered' };
  return { kind: outcome.kind === 'refused' ? 'failed' : 'unknown', reason: outcome.reason };
}
