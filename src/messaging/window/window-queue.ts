import { GatewayError } from '../../base/errors.ts';
import { type CancelTimer, isoAfter } from '../../base/time.ts';
import { pause } from '../../base/waits.ts';
import type { Db } from '../../store/database/tables.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import { dropExpired, type Message } from '../../store/messages/messages.ts';
import { findAnyMessage } from '../../store/messages/outbound-messages.ts';
import {
  conversationsWithSame,
  countWaiting,
  listConversationsToLookAt,
  listWaitingWithSame,
  nextWaiting,
  openWindow,
  placeInQueue,
} from '../../store/messages/queued-messages.ts';
import { KeyedRuns } from '../inbox/keyed-runs.ts';
import { askToReply } from '../intake/ask-to-reply.ts';
import type { HoldsMessages } from '../intake/intake-domain.ts';
import { tellDelivered } from '../intake/tell-delivered.ts';
import { announceEnd } from '../outbox/announce-end.ts';
import { putInQueue } from './put-in-queue.ts';
import { type QueueDomain, windowedMessenger } from './queue-domain.ts';
import { sendQueued } from './send-queued.ts';
import { isWindowOpen } from './service-window.ts';
import type { Waited, WindowGuard } from './window-guard.ts';

/** Specification, "Limits": whatsapp pending messages. */
const KEPT_MS = 7 * 86_400_000;
/** In one conversation; more are refused. */
const MOST_WAITING = 1_000;
const SWEEP_MS = 60_000;
/** Given up at once; so few take less than a millisecond of the main thread. */
const BATCH_SIZE = 100;
/** An agent learns of a reply at the latest so long after it, however many messages go out before it. */
const HOLD_MS = 10_000;
/** A message that joins a queue which is being emptied is waited for so long. */
const GOES_OUT_MS = 10_000;
const SWEEPING = '';

/**
 * Messages to people who must write first (specification, "WhatsApp outbound message queue"). All of it is in the
 * database: a message that waits is `pending` and has a time at which it is given up; memory holds only what runs now.
 */
export class WindowQueue implements WindowGuard, HoldsMessages {
  readonly #domain: QueueDomain;
  /** What empties a queue, by conversation; and the sweep. */
  readonly #runs: KeyedRuns;
  /** By conversation: when replies are told although the queue is not empty yet. */
  readonly #holds = new Map<string, CancelTimer>();
  /** By message: who waits for it to go out. */
  readonly #watched = new Map<string, () => void>();
  /** No more is begun; and what is under way is given up. */
  readonly #closing = new AbortController();
  readonly #givingUp = new AbortController();
  #cancelSweep: CancelTimer = () => {};

  constructor(domain: QueueDomain) {
    this.#domain = domain;
    this.#runs = new KeyedRuns(domain.onFailure);
  }

  /** Goes on where an earlier process stopped, and looks every minute for messages whose time is over. */
  start(): void {
    if (this.#closing.signal.aborted) return;
    void this.#runs.run(SWEEPING, () => this.#sweep());
    this.#cancelSweep = this.#domain.clock.after(SWEEP_MS, () => this.start());
  }

  /** Resolves when nothing is being sent and the database is no longer used; safe to call twice. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#cancelSweep();
    for (const cancel of this.#holds.values()) cancel();
    const cancel = this.#domain.clock.after(deadlineMs / 2, () => this.#givingUp.abort());
    await this.#runs.settled();
    cancel();
  }

  /**
   * Whether a message to this conversation has to wait: its window is closed, or others wait already and go first.
   * Throws `too_many_messages` when no more may.
   */
  async mustWait(db: Db, conversation: Conversation): Promise<boolean> {
    if (!windowedMessenger(this.#domain, conversation.platform)) return false;
    const waiting = await countWaiting(db, conversation.id);
    if (waiting >= MOST_WAITING) throw new GatewayError('too_many_messages');
    return waiting > 0 || !this.#isOpen(conversation);
  }

  /** When a message that begins to wait now is given up. */
  expiry(): string {
    return isoAfter(this.#domain.clock.nowIso(), KEPT_MS);
  }

  /** Takes a message that `mustWait` held back; the first of a closure has the person asked to write. */
  async joined(messageId: string): Promise<Waited> {
    return await this.#queue(messageId, false);
  }

  /** Takes a message back of which the platform says, at once or later, that its window was closed. */
  async cameBack(messageId: string): Promise<Waited> {
    return await this.#queue(messageId, true);
  }

  /**
   * Somebody wrote at `sentAt` (the platform's time): run it in the transaction that stores what they wrote. Not null:
   * until when its event has to wait for messages that go out first; this queue puts it on the feed.
   */
  async replied(trx: Db, conversationId: string, sentAt: string): Promise<string | null> {
    const conversation = await findAnyConversation(trx, conversationId);
    if (!conversation || !windowedMessenger(this.#domain, conversation.platform)) return null;
    await openWindow(trx, await conversationsWithSame(trx, conversation), sentAt);
    const opened = await findAnyConversation(trx, conversationId);
    const isFollowed = this.#isOpen(opened!) && (await countWaiting(trx, conversationId)) > 0;
    const isHeld = isFollowed || this.#runs.has(conversationId);
    return isHeld ? isoAfter(this.#domain.clock.nowIso(), HOLD_MS) : null;
  }

  /** After that transaction: sends what waits for this person, whichever accounts it is from. */
  flush(conversationId: string): void {
    void this.#runs.run(`whoever is in ${conversationId}`, async () => {
      for (const id of await listWaitingWithSame(this.#domain.store.db, conversationId)) void this.#empty(id);
    });
  }

  async #queue(messageId: string, isRefused: boolean): Promise<Waited> {
    const { store, wakeups, count } = this.#domain;
    const conversation = await putInQueue(this.#domain, messageId, { isRefused, expiresAt: this.expiry() });
    if (!conversation) return { delivered: false, templateSent: false, position: 0 };
    count(conversation.platform, 'queued');
    wakeups.wake(conversation.accountId);
    const isOpen = this.#isOpen(conversation);
    if (isOpen && (await this.#goesOut(conversation.id, messageId))) return { delivered: true };
    const text = (await findAnyMessage(store.db, messageId))?.text ?? '';
    const templateSent =
      !isOpen && (await askToReply(this.#domain, conversation, text, this.#givingUp.signal));
    return { delivered: false, templateSent, position: await placeInQueue(store.db, messageId) };
  }

  /** Empties the queue, and tells whether the message went out soon. */
  async #goesOut(conversationId: string, messageId: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#domain.clock.after(GOES_OUT_MS, () => resolve(false));
    this.#watched.set(messageId, () => resolve(true));
    void this.#empty(conversationId).then(() => resolve(false));
    const wentOut = await promise;
    this.#watched.delete(messageId);
    cancel();
    return wentOut;
  }

  /** Sends, in their order, what waits in a conversation, as long as it is open; then tells what became of it. */
  async #empty(conversationId: string): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#hold(conversationId);
    await this.#runs.run(conversationId, async () => {
      try {
        while (await this.#sendNext(conversationId));
      } finally {
        await tellDelivered(this.#domain, conversationId);
        this.#release(conversationId);
      }
    });
  }

  /** Returns whether there may be more to send. */
  async #sendNext(conversationId: string): Promise<boolean> {
    const { clock, store } = this.#domain;
    const { db } = store;
    if (this.#closing.signal.aborted) return false;
    const conversation = await findAnyConversation(db, conversationId);
    if (!conversation || !this.#isOpen(conversation)) return false;
    const message = await nextWaiting(db, conversationId, clock.nowIso());
    if (!message) return false;
    const outcome = await sendQueued(this.#domain, conversation, message, this.#givingUp.signal);
    if (outcome?.kind === 'sent') this.#watched.get(message.id)?.();
    if (outcome?.kind === 'later') await pause(clock, outcome.afterMs, this.#closing.signal);
    if (outcome?.kind === 'window_closed') await this.cameBack(message.id);
    return true;
  }

  #hold(conversationId: string): void {
    if (this.#holds.has(conversationId)) return;
    const cancel = this.#domain.clock.after(HOLD_MS, () => {
      this.#holds.delete(conversationId);
      void this.#runs.run(`tell ${conversationId}`, () => tellDelivered(this.#domain, conversationId));
    });
    this.#holds.set(conversationId, cancel);
  }

  #release(conversationId: string): void {
    this.#holds.get(conversationId)?.();
    this.#holds.delete(conversationId);
  }

  async #sweep(): Promise<void> {
    const { store, wakeups, count } = this.#domain;
    const { db } = store;
    for (;;) {
      const dropped = await this.#drop();
      for (const { accountId, conversationId } of dropped) {
        const conversation = await findAnyConversation(db, conversationId);
        if (conversation) count(conversation.platform, 'dropped');
        wakeups.wake(accountId);
      }
      if (dropped.length < BATCH_SIZE || this.#closing.signal.aborted) break;
    }
    for (const conversationId of await listConversationsToLookAt(db)) void this.#empty(conversationId);
  }

  /** Gives up messages whose time is over. */
  async #drop(): Promise<Message[]> {
    const { clock, store } = this.#domain;
    const nowIso = clock.nowIso();
    return await store.db.transaction().execute(async (trx) => {
      const dropped = await dropExpired(trx, nowIso, BATCH_SIZE);
      const end = { status: 'dropped', error: 'The other side did not write in time' } as const;
      for (const message of dropped)
        if (message.background !== null) await announceEnd(trx, message, end, nowIso);
      return dropped;
    });
  }

  #isOpen(conversation: Conversation): boolean {
    const messenger = windowedMessenger(this.#domain, conversation.platform);
    return messenger !== null && isWindowOpen(conversation, this.#domain.clock.nowIso(), messenger.windowMs);
  }
}
