import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Address, directAddress } from '../../../../src/base/address.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import type {
  AwaitedReply,
  OutboundFile,
  OutboundMessage,
} from '../../../../src/connectors/contract/messenger.ts';
import type { TakesWebhooks } from '../../../../src/connectors/contract/webhooks.ts';
import { guardedFetch } from '../../../../src/connectors/kit/guarded-fetch.ts';
import { NextcloudTalkConnector } from '../../../../src/connectors/nctalk/nctalk-connector.ts';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeRoom } from '../../../fakes/nextcloud/world/fake-room.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { MemoryIntake } from '../telegram/memory-intake.ts';

export const LOGIN = { kind: 'connection', id: 'con_nextcloud' } as const;
export const NEVER = new AbortController().signal;

/** An intake in which a test is the agent that answers webhooks. */
export class AnsweringIntake extends MemoryIntake {
  readonly waits: { from: Address; answer(reply: AwaitedReply | null): void }[] = [];
  answers = false;

  override async awaitReply(from?: Address, _withinMs?: number, gone?: AbortSignal): Promise<null> {
    if (!this.answers || from === undefined) return null;
    const { promise, resolve } = Promise.withResolvers<AwaitedReply | null>();
    gone?.addEventListener('abort', () => resolve(null), { once: true });
    this.waits.push({ from, answer: resolve });
    return (await promise) as null;
  }
}

/** A fake Nextcloud, stopped with the test, which must not have found mistakes. */
export async function fakeNextcloud(): Promise<FakeNextcloud> {
  const nextcloud = await FakeNextcloud.start();
  onTestFinished(() => nextcloud.stop());
  return nextcloud;
}

export interface ChatOptions {
  readonly nextcloud?: FakeNextcloud;
  readonly records?: MemoryRecords;
  /** Whether the addon's events reach the connector. */
  readonly hasEvents?: boolean;
  readonly isBridged?: boolean;
  /** How far the clock is turned while the bot settles in, again and again. */
  readonly turnsMs?: number;
}

/** A connector, and a server for what Nextclouds post to it. Both end with the test. */
export async function chatConnector({ records = new MemoryRecords(), isBridged = false }: ChatOptions = {}) {
  const clock = new TurnableClock();
  const intake = new AnsweringIntake();
  const counts = new Map<string, number>();
  const logged: string[] = [];
  const statuses: string[] = [];
  const isOpen = (address: string) => address.startsWith('127.');
  const findAddresses = async () => ['127.0.0.1'];
  const connector = new NextcloudTalkConnector(
    { internalSecrets: new Map(), isBridged },
    {
      clock,
      records,
      observer: {
        count: (event) => void counts.set(event, (counts.get(event) ?? 0) + 1),
        log: (level, text, detail) => logged.push(`${level}: ${text} ${JSON.stringify(detail)}`),
      },
      findAddresses,
      isOpen,
      readingTime: new ReadingTime(clock),
      allowsHttp: true,
      fetches: guardedFetch({ findAddresses, isOpen, isTrusted: isOpen }),
      publicUrl: () => '',
      bridges: { open: async () => Promise.reject(new Error('no calls here')) } as never,
      agentOf: async () => null,
    },
  );
  connector.provides.messenger!.onMessages(intake);
  connector.provides.pairing!.onPairings({
    take: async () => null,
    report: (_id, status) => statuses.push(status),
  });
  const gatewayUrl = await serve(connector.provides.webhooks!);
  onTestFinished(() => connector.close());
  return { connector, clock, records, intake, counts, logged, statuses, gatewayUrl };
}

/** A bot that was paired with Ada's Nextcloud, in the conversation with her. */
export async function pairedChat(options: ChatOptions = {}) {
  const nextcloud = options.nextcloud ?? (await fakeNextcloud());
  const { hasEvents = true, turnsMs = hasEvents ? 0 : 1_000 } = options;
  nextcloud.addon.eventsWork = hasEvents;
  const setup = await chatConnector(options);
  const ada = nextcloud.world.users.get('ada') ?? nextcloud.user('ada', 'Ada Lovelace');
  const credentials = nextcloud.addon.pairedBot({ gatewayUrl: setup.gatewayUrl, owner: ada });
  const connection = {
    ...{ id: LOGIN.id, accountId: 'acc_1', server: nextcloud.url, label: 'ada', personId: 'ada' },
    credentials: { kind: 'addon', ...credentials },
  };
  setup.connector.provides.pairing!.connected(connection);
  const bot = nextcloud.addon.bots.get(credentials.botLogin)!.user;
  const room = await waitFor('the conversation with the bot', () => {
    setup.clock.turn(turnsMs);
    return [...nextcloud.world.rooms.values()].find(({ attendees }) => attendees.has(bot.uid));
  });
  await waitFor('the bot to know whether events arrive', () => {
    setup.clock.turn(turnsMs);
    return setup.records
      .of<{ hasEvents: boolean | null }>('bot')
      .some((each) => each.hasEvents === hasEvents);
  });
  return { ...setup, nextcloud, ada, bot, room, connection, credentials };
}

export function toAda(
  text: string,
  attachments: readonly OutboundFile[] = [],
  messageId = `msg_${text}`,
): OutboundMessage {
  return { messageId, to: directAddress(LOGIN, 'ada'), text, attachments };
}

export function toRoom({ token }: FakeRoom, text: string): OutboundMessage {
  const to = { login: LOGIN, space: { kind: 'channel', id: token }, thread: null, person: null } as const;
  return { messageId: `msg_${text}`, to, text, attachments: [] };
}

/** What the bot has written in a room, without its welcome and markers. */
export function writtenBy(bot: { readonly uid: string }, room: FakeRoom): string[] {
  return room.messages
    .filter(({ actor, verb }) => actor.id === bot.uid && (verb === 'comment' || verb === 'object_shared'))
    .map(({ text }) => text)
    .filter((text) => !text.startsWith('You are connected.'));
}

async function serve(webhooks: TakesWebhooks): Promise<string> {
  const server = createServer((request, response) => void answer(webhooks, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the API does with a request, as far as it matters here. */
async function answer(
  webhooks: TakesWebhooks,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '';
  const login = /^\/api\/nctalk\/bots\/(.+)$/.exec(path)?.[1];
  const endpoint = login === undefined ? path.replace(/^\/api\/nctalk\//, '') : 'bots/{login_key}';
  const header = (name: string) => `${request.headers[name] ?? ''}`;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const known = { endpoint, loginKey: login ?? '', header };
  const reply =
    webhooks.refuses(known) ??
    (await webhooks.webhook({
      ...known,
      method: 'post',
      query: {},
      body: Buffer.concat(await Array.fromAsync(request)),
      signal: gone.signal,
    }));
  if (gone.signal.aborted) return reply.ended?.('unwritten');
  response.writeHead(reply.status, { 'content-type': 'application/json' });
  response.end('json' in reply ? JSON.stringify(reply.json) : '{}', () => reply.ended?.('written'));
}
