import { onTestFinished } from 'vitest';
import { directAddress } from '../../../src/base/address.ts';
import { newId } from '../../../src/base/ids.ts';
import { closeOutbound, openOutbound } from '../../../src/messaging/outbox/open-outbound.ts';
import type { OutboundDomain } from '../../../src/messaging/outbox/outbound-domain.ts';
import type { Outgoing } from '../../../src/messaging/outbox/outbox.ts';
import { SendingTurns } from '../../../src/messaging/outbox/sending-turns.ts';
import type { WindowGuard } from '../../../src/messaging/window/window-guard.ts';
import { attachMember } from '../../../src/store/agents/agents.ts';
import type { Conversation } from '../../../src/store/messages/conversations.ts';
import { insertMessage, type Message } from '../../../src/store/messages/messages.ts';
import { openConversation } from '../../../src/store/messages/spaces.ts';
import type { Store } from '../../../src/store/store.ts';
import { FakeMessenger } from '../../support/fake-messenger.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, seedAccount, temporaryStore } from '../store/temporary.ts';

/** The outbound side over a real store, a platform of the test's own, and a clock that stands still. */
export class Outbound {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly messenger: FakeMessenger;
  readonly domain: OutboundDomain;
  readonly accountId: string;
  readonly agentId: string;
  readonly settled: string[];
  readonly full: string[];
  readonly failures: unknown[];
  readonly woken: string[];
  readonly answered: [credentialId: string, probeId: string][];

  private constructor(
    parts: Pick<Outbound, 'store' | 'clock' | 'messenger' | 'domain' | 'accountId' | 'agentId'>,
    told: Pick<Outbound, 'settled' | 'full' | 'failures' | 'woken' | 'answered'>,
  ) {
    this.store = parts.store;
    this.clock = parts.clock;
    this.messenger = parts.messenger;
    this.domain = parts.domain;
    this.accountId = parts.accountId;
    this.agentId = parts.agentId;
    this.settled = told.settled;
    this.full = told.full;
    this.failures = told.failures;
    this.woken = told.woken;
    this.answered = told.answered;
  }

  static async open(
    options: {
      messenger?: FakeMessenger;
      windows?: WindowGuard | null;
      ready?: Promise<void>;
      /** An existing store, with the account in it unless `isFresh`. */
      store?: Store;
      isFresh?: boolean;
    } = {},
  ): Promise<Outbound> {
    const {
      messenger = new FakeMessenger(),
      windows = null,
      ready = Promise.resolve(),
      isFresh = options.store === undefined,
    } = options;
    const store = options.store ?? (await temporaryStore());
    const owner = isFresh ? await seedAccount(store, 'a') : { accountId: 'acc_a', agentId: 'agt_a' };
    const clock = new ManualClock();
    const told = { settled: [], full: [], failures: [], woken: [], answered: [] } as Pick<
      Outbound,
      'settled' | 'full' | 'failures' | 'woken' | 'answered'
    >;
    const messengers = new Map([[messenger.platform, messenger]]);
    const domain = openOutbound({
      store,
      clock,
      messengers,
      turns: new SendingTurns(clock, messengers),
      windows,
      ready,
      wakeups: { wake: (accountId) => void told.woken.push(accountId) },
      filesOf: async () => [],
      resolveFiles: async (_accountId, sources) =>
        await Promise.all(sources.map((_, i) => fileOf(store, owner, i))),
      observer: {
        messageSettled: ({ platform }, result) => void told.settled.push(`${platform} ${result}`),
        messengerFailed: (_platform, error) => void told.failures.push(error),
        queueFull: (queue) => void told.full.push(queue),
      },
      timeoutText: 'No answer yet',
      onProbeAnswered: (...answer) => void told.answered.push(answer),
      onFailure: (_what, error) => void told.failures.push(error),
    });
    onTestFinished(() => closeOutbound(domain, 0));
    return new Outbound({ store, clock, messenger, domain, ...owner }, told);
  }

  /** A bot of the account in its agent, or in others. */
  async bot(id = 'bot_1', agentIds: readonly string[] = [this.agentId]): Promise<void> {
    await this.store.db
      .insertInto('botTokens')
      .values({
        id,
        accountId: this.accountId,
        platform: 'telegram',
        status: 'ok',
        sealedToken: '',
        createdAt: NOW,
      })
      .execute();
    for (const agentId of agentIds) await attachMember(this.store.db, agentId, { type: 'bot_token', id });
  }

  /** A conversation of a bot with a person. */
  async conversation(remoteId = '42', botId = 'bot_1'): Promise<Conversation> {
    const remote = {
      accountId: this.accountId,
      platform: this.messenger.platform,
      member: { type: 'bot_token', id: botId } as const,
      space: { kind: 'direct', id: remoteId } as const,
      thread: null,
      alias: null,
      remoteName: `Person ${remoteId}`,
    };
    const { db } = this.store;
    return await db.transaction().execute((trx) => openConversation(trx, remote, this.clock.nowIso()));
  }

  /** A message that a person wrote. */
  async heard({ id }: Conversation, text = 'Hello'): Promise<Message> {
    return await this.#insert(id, { direction: 'inbound', text, status: 'received' });
  }

  /** A stored message to be sent. */
  async outgoing(conversation: Conversation, text: string): Promise<Outgoing> {
    const message = await this.#insert(conversation.id, { direction: 'outbound', text, status: 'sending' });
    const to = directAddress({ kind: 'bot_token', id: conversation.memberId! }, conversation.remoteId);
    return { message, conversation, outbound: { messageId: message.id, to, text, attachments: [] } };
  }

  async message(id: string): Promise<Message> {
    return await this.store.db
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  /** All messages, oldest first. */
  async messages(): Promise<Message[]> {
    return await this.store.db.selectFrom('messages').selectAll().orderBy('seq').execute();
  }

  async statusOf({ id }: Conversation): Promise<string> {
    const query = this.store.db.selectFrom('conversations').select('status').where('id', '=', id);
    return (await query.executeTakeFirstOrThrow()).status;
  }

  async #insert(
    conversationId: string,
    row: Pick<Message, 'direction' | 'text' | 'status'>,
  ): Promise<Message> {
    const whole = {
      ...row,
      id: newId('msg'),
      accountId: this.accountId,
      conversationId,
      senderAgentId: null,
      expiresAt: null,
      platformMessageIds: [],
      fileIds: [],
    };
    return await this.store.db.transaction().execute((trx) => insertMessage(trx, whole, this.clock.nowIso()));
  }
}

/** A file of the account, stored as far as the messages need it. */
async function fileOf(store: Store, { accountId }: { accountId: string }, serial: number) {
  const fileId = newId('f');
  await store.db
    .insertInto('files')
    .values({
      id: fileId,
      accountId,
      origin: 'upload',
      name: `${serial}.txt`,
      mime: 'text/plain',
      sizeBytes: 1_000,
      tokenHash: fileId,
      sealedToken: '',
      state: 'stored',
      createdAt: NOW,
      expiresAt: NOW,
    })
    .execute();
  const bytes = async function* () {
    yield new Uint8Array(1_000);
  };
  return { fileId, name: `${serial}.txt`, mime: 'text/plain', sizeBytes: 1_000, open: bytes };
}
