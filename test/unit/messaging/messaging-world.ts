import { directAddress } from '../../../src/base/address.ts';
import { newId } from '../../../src/base/ids.ts';
import type { AgentScope } from '../../../src/base/scope.ts';
import type { Clock } from '../../../src/base/time.ts';
import type { InboundMessage, Intake, MessageIntake } from '../../../src/connectors/contract/messenger.ts';
import type { Reading } from '../../../src/messaging/inbox/inbox-view.ts';
import { Wakeups } from '../../../src/messaging/inbox/wakeups.ts';
import { Arrivals } from '../../../src/messaging/intake/arrivals.ts';
import type {
  HoldsMessages,
  IntakeDomain,
  ReceivedMessage,
} from '../../../src/messaging/intake/intake-domain.ts';
import { platformIntake } from '../../../src/messaging/intake/platform-intake.ts';
import { WebhookAnswers } from '../../../src/messaging/outbox/webhook-answers.ts';
import { attachMember } from '../../../src/store/agents/agents.ts';
import { insertBot } from '../../../src/store/logins/bot-tokens.ts';
import { appendEvent, type NewEvent } from '../../../src/store/messages/events.ts';
import { insertMessage, type Message, type NewMessage } from '../../../src/store/messages/messages.ts';
import { findConversationAt, type Place } from '../../../src/store/messages/spaces.ts';
import type { Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, seedAccount, temporaryStore } from '../store/temporary.ts';

/** An account with a Telegram bot in its only agent, and the bot's side of people who write to it. */
export interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly wakeups: Wakeups;
  readonly reading: Reading;
  readonly domain: IntakeDomain & { queue: HoldsMessages | null };
  readonly intake: MessageIntake;
  readonly scope: AgentScope;
  readonly accountId: string;
  readonly agentId: string;
  readonly botId: string;
  /** The calls of `onReceived`. */
  readonly received: ReceivedMessage[];
  /** Accounts whose agents were read again. */
  readonly followed: string[];
  /** Conversations whose person became the owner of their bot through its code. */
  readonly owned: string[];
  /** Conversations in which another bot was not heard, and whether that was told. */
  readonly unheard: readonly (readonly [string, boolean])[];
  /** Platforms over whose shared login too much came, once for each message. */
  readonly flooded: readonly string[];
}

export async function messagingWorld(): Promise<World> {
  const store = await temporaryStore();
  const clock = new ManualClock();
  const wakeups = new Wakeups();
  const { accountId, agentId } = await seedAccount(store, 'a');
  const botId = await seedBot(store, accountId, agentId);
  const received: ReceivedMessage[] = [];
  const followed: string[] = [];
  const owned: string[] = [];
  const unheard: [string, boolean][] = [];
  const flooded: string[] = [];
  const domain: World['domain'] = {
    platform: 'telegram',
    store,
    clock,
    wakeups,
    queue: null,
    notes: { hold: async () => false, onReleased: () => {} },
    answers: new WebhookAnswers(clock, () => undefined),
    arrivals: new Arrivals(clock),
    sentFile: async () => null,
    keepFiles: async (_trx, _from, files) => ({
      fileIds: [],
      tooLarge: files.filter(({ ref }) => ref === null).length,
    }),
    onReceived: (message) => void received.push(message),
    onUnheard: ({ id }, isFirst) => void unheard.push([id, isFirst]),
    onFlooded: (platform) => void flooded.push(platform),
    onIgnoredReaction: () => {},
    onOwned: (conversationId) => void owned.push(conversationId),
    followAgents: async (followedId) => void followed.push(followedId),
  };
  const reading: Reading = { store, clock, attachments: async () => new Map(), files: async () => new Map() };
  const intake = platformIntake(domain);
  const scope = { accountId, agentIds: [agentId], platforms: null };
  return {
    store,
    clock,
    wakeups,
    reading,
    domain,
    intake,
    scope,
    accountId,
    agentId,
    botId,
    received,
    followed,
    owned,
    unheard,
    flooded,
  };
}

/** A Telegram bot of this account, in this agent. */
export async function seedBot(store: Store, accountId: string, agentId: string): Promise<string> {
  const id = newId('bot');
  const bot = { id, accountId, platform: 'telegram', botName: null, status: 'ok', createdAt: NOW } as const;
  const secrets = { token: `token of ${id}`, signingSecret: null, appToken: null };
  await insertBot(store.db, store.secrets, { ...bot, appId: null }, secrets);
  await attachMember(store.db, agentId, { type: 'bot_token', id });
  return id;
}

/** An event of a call of this agent, or of all agents when `agentId` is null; returns the event's id. */
export async function happen(
  { store, clock, wakeups, accountId }: Pick<World, 'store' | 'wakeups' | 'accountId'> & { clock: Clock },
  agentId: string | null,
  fields: Partial<NewEvent> = {},
): Promise<string> {
  const payload = { call_id: 'call_1', state: 'ringing' };
  const event = {
    type: 'call_invite',
    platform: 'sip',
    payload,
    createdAt: clock.nowIso(),
    ...fields,
  } as const;
  const position = await appendEvent(store.db, { ...event, accountId, agentId });
  wakeups.wake(accountId);
  return `evt_${position}`;
}

/** The direct conversation with a person. */
export function directPlace(remoteId: string): Place {
  return { space: { kind: 'direct', id: remoteId }, thread: null };
}

let serial = 0;

/** A message from a person to a bot, or to the shared login when `botId` is null. */
export function written(
  botId: string | null,
  remoteId: string,
  fields: Partial<InboundMessage> = {},
): InboundMessage {
  serial++;
  return {
    from: directAddress(botId === null ? { kind: 'shared' } : { kind: 'bot_token', id: botId }, remoteId),
    alias: null,
    remoteName: `Name of ${remoteId}`,
    senderName: null,
    platformMessageId: `${serial}`,
    text: `text ${serial}`,
    sentAt: '2030-01-01T00:00:00.000Z',
    files: [],
    ...fields,
  };
}

/** A person writes to the world's bot. */
export async function write(
  { intake, botId }: World,
  remoteId: string,
  fields: Partial<InboundMessage> = {},
): Promise<Intake> {
  return await intake.received(written(botId, remoteId, fields));
}

/** The agent's answer to a person who has written before, stored as being sent. */
export async function answer(
  { store, clock, accountId, agentId, botId }: World,
  remoteId: string,
  fields: Partial<NewMessage> = {},
): Promise<Message> {
  const member = { type: 'bot_token', id: botId } as const;
  const conversation = await findConversationAt(store.db, member, directPlace(remoteId));
  const message: NewMessage = {
    id: newId('msg'),
    accountId,
    conversationId: conversation!.id,
    direction: 'outbound',
    senderAgentId: agentId,
    text: 'answer',
    status: 'sending',
    expiresAt: null,
    platformMessageIds: [],
    fileIds: [],
    ...fields,
  };
  const insert = store.db.transaction();
  return await insert.execute((trx) => insertMessage(trx, message, clock.nowIso()));
}
