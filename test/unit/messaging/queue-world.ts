import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import { announceMessage } from '../../../src/messaging/inbox/announce.ts';
import { recordOutcome } from '../../../src/messaging/outbox/message-outcome.ts';
import { SendingTurns } from '../../../src/messaging/outbox/sending-turns.ts';
import type { QueueDomain, QueueEvent } from '../../../src/messaging/window/queued-message.ts';
import type { Waited } from '../../../src/messaging/window/window-guard.ts';
import { WindowQueue } from '../../../src/messaging/window/window-queue.ts';
import { attachMember } from '../../../src/store/agents/agents.ts';
import { type Db, findRow, insertRow } from '../../../src/store/database/rows.ts';
import { type Conversation, heardFrom } from '../../../src/store/messages/conversations.ts';
import { eventsOfAgents } from '../../../src/store/messages/events.ts';
import { insertMessage, listMessages, type Message } from '../../../src/store/messages/messages.ts';
import { openConversation } from '../../../src/store/messages/spaces.ts';
import type { Store } from '../../../src/store/store.ts';
import { seedAccount, temporaryStore } from '../store/temporary.ts';
import { JumpingClock } from './jumping-clock.ts';
import { WindowedPlatform } from './windowed-platform.ts';

const SECOND_MS = 1_000;
/** One more than the queue's polling interval. */
const SWEEP_MS = 61_000;
const TURNS = 25;
const PATIENCE_S = 600;
export const REMOTE_ID = 'US.1';

/** The outcome of a message for its sender. */
export type Sent = Waited | { readonly kind: 'failed' };

/** The queue over a real database, with a minimal platform and minimal entry points on both sides. */
export class QueueWorld {
  readonly clock = new JumpingClock();
  readonly platform = new WindowedPlatform(() => Date.parse(this.clock.trueIso()));
  readonly counts: QueueEvent[] = [];
  readonly failures: unknown[] = [];
  readonly store: Store;
  readonly accountId: string;
  readonly conversationId: string;
  readonly #agentId: string;
  queue: WindowQueue;

  private constructor(store: Store, agentId: string, { id, accountId }: Conversation) {
    this.store = store;
    this.accountId = accountId;
    this.#agentId = agentId;
    this.conversationId = id;
    this.queue = new WindowQueue(this.#domain());
  }

  static async make(): Promise<QueueWorld> {
    const store = await temporaryStore();
    const world = new QueueWorld(store, 'agt_one', await beginConversation(store, 'one'));
    world.queue.start();
    onTestFinished(() => world.queue.close(0));
    return world;
  }

  get db(): Db {
    return this.store.db;
  }

  /** Restarts the queue, as a new process would. */
  async restart(): Promise<void> {
    await this.queue.close(0);
    this.queue = new WindowQueue(this.#domain());
    this.queue.start();
  }

  /** Sends as `POST /api/dm/chat` does. */
  async send(text: string, conversationId = this.conversationId): Promise<Sent & { readonly id: string }> {
    const id = newId('msg');
    const mustWait = await this.db.transaction().execute(async (trx) => {
      const conversation = (await findRow(trx, 'conversations', { id: conversationId }))!;
      const waits = await this.queue.mustWait(trx, conversation);
      const state = waits
        ? ({ status: 'pending', expiresAt: this.queue.expiry() } as const)
        : ({ status: 'sending', expiresAt: null } as const);
      await this.#insert(trx, conversation, { id, text, direction: 'outbound', ...state });
      return waits;
    });
    if (mustWait) return { id, ...(await this.queue.joined(id)) };
    let outcome = await this.platform.send({ messageId: id, text });
    while (outcome.kind === 'later') outcome = await this.platform.send({ messageId: id, text });
    if (outcome.kind === 'window_closed') return { id, ...(await this.queue.cameBack(id)) };
    const message = (await findRow(this.db, 'messages', { id }))!;
    const conversation = (await findRow(this.db, 'conversations', { id: conversationId }))!;
    await recordOutcome(this.db, this.clock, { message, conversation }, outcome);
    return { id, kind: outcome.kind === 'sent' ? 'delivered' : 'failed' };
  }

  /** Turns a waiting message into one with files: an event reports the outcome of sending it. */
  async hasFiles(id: string): Promise<void> {
    await this.db.updateTable('messages').set({ background: 'waiting' }).where('id', '=', id).execute();
  }

  /** Receives as intake does; with `isCut` the process ends right after the message was stored. */
  async reply(text: string, isCut = false, conversationId = this.conversationId): Promise<void> {
    const sentAt = this.clock.trueIso();
    this.platform.lastWroteMs = Date.parse(sentAt);
    await this.db.transaction().execute(async (trx) => {
      await heardFrom(trx, conversationId, sentAt);
      const expiresAt = await this.queue.replied(trx, conversationId, sentAt);
      const conversation = (await findRow(trx, 'conversations', { id: conversationId }))!;
      const message = await this.#insert(trx, conversation, {
        id: newId('msg'),
        text,
        direction: 'inbound',
        status: 'received',
        expiresAt,
      });
      if (expiresAt === null) await announceMessage(trx, conversation, message);
    });
    if (isCut) await this.restart();
    else this.queue.flush(conversationId);
  }

  /** Lets time pass, second by second, while waiting for `work`. */
  async pass<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    watched.catch(() => undefined);
    for (let second = 0; !isDone; second++) {
      if (second > PATIENCE_S) throw new Error('it takes too long');
      for (let count = 0; count < TURNS && !isDone; count++) await turn();
      if (!isDone) this.clock.advance(SECOND_MS);
    }
    return await work;
  }

  /** Lets time pass until nothing changes, and the queue has polled once more. */
  async settle(): Promise<void> {
    await this.until(async () => (await this.#moving()) === 0);
    this.clock.advance(SWEEP_MS);
    await this.until(async () => (await this.#moving()) === 0);
  }

  async until(condition: () => Promise<boolean>): Promise<void> {
    for (let second = 0; second < PATIENCE_S; second++) {
      for (let count = 0; count < TURNS; count++) await turn();
      if (await condition()) return;
      this.clock.advance(SECOND_MS);
    }
    throw new Error(`it takes too long: ${JSON.stringify(await this.messages())}`);
  }

  async messages(conversationId = this.conversationId): Promise<Message[]> {
    return await listMessages(this.db, conversationId, { limit: 1_000, offset: 0 });
  }

  /** Text and status of the outbound messages, oldest first. */
  async outbound(conversationId = this.conversationId): Promise<[string, string][]> {
    const messages = await this.messages(conversationId);
    return messages
      .filter(({ direction }) => direction === 'outbound')
      .map(({ text, status }) => [text, status]);
  }

  /** The feed: the type and the texts that it is about. */
  async events(): Promise<[string, ...string[]][]> {
    const scope = { accountId: this.accountId, agentIds: [this.#agentId], platforms: null };
    const texts = new Map((await this.messages()).map(({ id, text }) => [id, text]));
    return (await eventsOfAgents(this.db, scope, 0, 1_000)).map(({ type, payload }) => {
      const ids = (payload.delivered_ids as string[] | undefined) ?? [payload.message_id as string];
      return [type, ...ids.map((id) => texts.get(id)!)];
    });
  }

  async conversation(): Promise<Conversation> {
    return (await findRow(this.db, 'conversations', { id: this.conversationId }))!;
  }

  /** Messages that are being sent or not announced yet; messages that wait for the person do not change. */
  async #moving(): Promise<number> {
    const isOpen = !(await this.queue.mustWait(this.db, { ...(await this.conversation()), id: 'none' }));
    const messages = await this.messages();
    return messages.filter(
      ({ status, expiresAt }) =>
        status === 'sending' || (expiresAt !== null && (status !== 'pending' || isOpen)),
    ).length;
  }

  async #insert(
    trx: Db,
    { id: conversationId, accountId }: Conversation,
    message: Pick<Message, 'id' | 'text' | 'direction' | 'status' | 'expiresAt'>,
  ): Promise<Message> {
    const row = { accountId, conversationId, senderAgentId: null, platformMessageIds: [], fileIds: [] };
    return await insertMessage(trx, { ...row, ...message }, this.clock.nowIso());
  }

  #domain(): QueueDomain {
    return {
      store: this.store,
      clock: this.clock,
      messengers: new Map([['whatsapp', this.platform]]),
      turns: new SendingTurns(this.clock, new Map([['whatsapp', this.platform]])),
      filesOf: async () => [],
      wakeups: { wake: () => undefined },
      count: (_platform, event) => this.counts.push(event),
      onFailure: (error) => this.failures.push(error),
    };
  }
}

/** An account's conversation with the only person. */
export async function beginConversation(store: Store, account: string): Promise<Conversation> {
  const { accountId, agentId } = await seedAccount(store, account);
  const createdAt = '2029-12-31T00:00:00.000Z';
  const connection = {
    id: `con_${account}`,
    accountId,
    provider: 'whatsapp',
    email: null,
    label: 'Ada',
    status: 'ok',
    loginKey: 'shared',
    remoteId: REMOTE_ID,
    createdAt,
    updatedAt: createdAt,
  };
  await insertRow(store.db, 'connections', { ...connection, sealedCredentials: '' });
  const member = { type: 'connection', id: connection.id } as const;
  await attachMember(store.db, agentId, member);
  const remote = {
    accountId,
    platform: 'whatsapp',
    member,
    space: { kind: 'direct', id: REMOTE_ID },
    thread: null,
    alias: null,
    remoteName: 'Ada',
  } as const;
  return await openConversation(store.db, remote, createdAt);
}
