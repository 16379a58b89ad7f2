import { GatewayError } from '../../base/errors.ts';
import { type CancelTimer, isoAfter, pause } from '../../base/time.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { Message } from '../../store/messages/messages.ts';
import { dropExpired } from '../../store/messages/outbound-messages.ts';
import {
  conversationsWithSame,
  countQueued,
  listConversationsToLookAt,
  listQueuedWithSame,
  nextQueued,
  openWindow,
  placeInQueue,
} from '../../store/messages/queued-messages.ts';
import { announceEnd } from '../inbox/announce.ts';
import { KeyedRuns } from '../inbox/keyed-runs.ts';
import type { HoldsMessages } from '../intake/intake-domain.ts';
import {
  askToReply,
  emitDelivered,
  putInQueue,
  type QueueDomain,
  sendQueued,
  windowedMessenger,
} from './queued-message.ts';
import { isWindowOpen, type Waited, type WindowGuard } from './window-guard.ts';

/** Specification, "Limits": whatsapp pending messages. */
const KEPT_MS = 7 * 86_400_000;
/** Maximum queue length per conversation; further messages are refused. */
const MAX_PENDING = 1_000;
const SWEEP_MS = 60_000;
/** Messages dropped per transaction, which takes less than a millisecond of the main thread. */
const BATCH_SIZE = 100;
/** Agents learn of a reply at most this long after it, however many queued messages are sent first. */
const HOLD_MS = 10_000;
/** How long to wait for a message that joins a queue while it is being emptied. */
const GOES_OUT_MS = 10_000;
const SWEEPING = '';

/**
 * Queue of messages to people who must write first (specification, "WhatsApp outbound message queue"). The state is in
 * the database: a queued message is `pending` and has an expiry. Memory holds only the work in progress.
 */
export class WindowQueue implements WindowGuard, HoldsMessages {
  readonly #domain: QueueDomain;
  /** Runs that empty a queue, by conversation, and the sweep. */
  readonly #runs: KeyedRuns;
  /** Timers by conversation: replies are announced when they fire, even if the queue is not empty yet. */
  readonly #holds = new Map<string, CancelTimer>();
  /** Callbacks by message, called when the message has been sent. */
  readonly #watched = new Map<string, () => void>();
  /** `#closing` starts no new work; `#givingUp` aborts the work in progress. */
  readonly #closing = new AbortController();
  readonly #givingUp = new AbortController();
  #cancelSweep: CancelTimer = () => {};

  constructor(domain: QueueDomain) {
    this.#domain = domain;
    this.#runs = new KeyedRuns(domain.onFailure);
  }

  /** Resumes the queues of an earlier process, and looks for expired messages every minute. */
  start(): void {
    if (this.#closing.signal.aborted) return;
    void this.#runs.run(SWEEPING, () => this.#sweep());
    this.#cancelSweep = this.#domain.clock.after(SWEEP_MS, () => this.start());
  }

  /** Resolves when nothing is being sent and the database is no longer used. Safe to call twice. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#cancelSweep();
    for (const cancel of this.#holds.values()) cancel();
    const cancel = this.#domain.clock.after(deadlineMs / 2, () => this.#givingUp.abort());
    await this.#runs.settled();
    cancel();
  }

  /**
   * Returns whether a message to this conversation must wait: its window is closed, or other messages are queued before
   * it. Throws `too_many_messages` when the queue is full.
   */
  async mustWait(db: Db, conversation: Conversation): Promise<boolean> {
    if (!windowedMessenger(this.#domain, conversation.platform)) return false;
    const waiting = await countQueued(db, conversation.id);
    if (waiting >= MAX_PENDING) throw new GatewayError('too_many_messages');
    return waiting > 0 || !this.#isOpen(conversation);
  }

  /** Returns when a message queued now is dropped. */
  expiry(): string {
    return isoAfter(this.#domain.clock.nowIso(), KEPT_MS);
  }

  /** Queues a message that `mustWait` held back. The first message of a closed window sends the template. */
  async joined(messageId: string): Promise<Waited> {
    return await this.#queue(messageId, false);
  }

  /** Requeues a message that the platform rejected, immediately or later, because its window was closed. */
  async cameBack(messageId: string): Promise<Waited> {
    return await this.#queue(messageId, true);
  }

  /**
   * Opens the window because a person wrote at `sentAt` (the platform's time). Call it in the transaction that stores
   * their message. Returns null, or the time until which the message's event must wait for queued messages to be sent
   * first; this queue then announces the message.
   */
  async replied(trx: Db, conversationId: string, sentAt: string): Promise<string | null> {
    const conversation = await findRow(trx, 'conversations', { id: conversationId });
    if (!conversation || !windowedMessenger(this.#domain, conversation.platform)) return null;
    await openWindow(trx, await conversationsWithSame(trx, conversation), sentAt);
    const opened = await findRow(trx, 'conversations', { id: conversationId });
    const isFollowed = this.#isOpen(opened!) && (await countQueued(trx, conversationId)) > 0;
    const isHeld = isFollowed || this.#runs.has(conversationId);
    return isHeld ? isoAfter(this.#domain.clock.nowIso(), HOLD_MS) : null;
  }

  /** Sends the queued messages for this person, from all accounts. Call it after that transaction. */
  flush(conversationId: string): void {
    void this.#runs.run(`whoever is in ${conversationId}`, async () => {
      for (const id of await listQueuedWithSame(this.#domain.store.db, conversationId)) void this.#empty(id);
    });
  }

  async #queue(messageId: string, isRefused: boolean): Promise<Waited> {
    const { store, wakeups, count } = this.#domain;
    const conversation = await putInQueue(this.#domain, messageId, { isRefused, expiresAt: this.expiry() });
    if (!conversation) return { kind: 'waits', templateSent: false, position: 0 };
    count(conversation.platform, 'queued');
    wakeups.wake(conversation.accountId);
    const isOpen = this.#isOpen(conversation);
    if (isOpen && (await this.#goesOut(conversation.id, messageId))) return { kind: 'delivered' };
    const text = (await findRow(store.db, 'messages', { id: messageId }))?.text ?? '';
    const asked = isOpen
      ? { templateSent: false }
      : await askToReply(this.#domain, conversation, text, this.#givingUp.signal);
    return { kind: 'waits', ...asked, position: await placeInQueue(store.db, messageId) };
  }

  /** Empties the queue. Returns whether the message was sent within `GOES_OUT_MS`. */
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

  /** Sends a conversation's queued messages in order while its window is open, then reports the results. */
  async #empty(conversationId: string): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#hold(conversationId);
    await this.#runs.run(conversationId, async () => {
      try {
        while (await this.#sendNext(conversationId));
      } finally {
        await emitDelivered(this.#domain, conversationId);
        this.#release(conversationId);
      }
    });
  }

  /** Returns whether more messages may be left to send. */
  async #sendNext(conversationId: string): Promise<boolean> {
    const { clock, store } = this.#domain;
    const { db } = store;
    if (this.#closing.signal.aborted) return false;
    const conversation = await findRow(db, 'conversations', { id: conversationId });
    if (!conversation || !this.#isOpen(conversation)) return false;
    const message = await nextQueued(db, conversationId, clock.nowIso());
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
      void this.#runs.run(`tell ${conversationId}`, () => emitDelivered(this.#domain, conversationId));
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
        const conversation = await findRow(db, 'conversations', { id: conversationId });
        if (conversation) count(conversation.platform, 'dropped');
        wakeups.wake(accountId);
      }
      if (dropped.length < BATCH_SIZE || this.#closing.signal.aborted) break;
    }
    for (const conversationId of await listConversationsToLookAt(db)) void this.#empty(conversationId);
  }

  /** Drops expired messages. */
  async #drop(): Promise<Message[]> {
    const { clock, store } = this.#domain;
    const nowIso = clock.nowIso();
    return await store.db.transaction().execute(async (trx) => {
      const dropped = await dropExpired(trx, nowIso, BATCH_SIZE);
      const end = { status: 'dropped', error: 'The recipient did not reply in time' } as const;
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
