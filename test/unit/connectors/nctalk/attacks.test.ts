import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { chatConnector, LOGIN, NEVER, pairedChat, toAda, writtenBy } from './chat-setup.ts';

const OK = { status: 'ok', statuscode: 200, message: 'OK' };
const ocs = (data: unknown) => JSON.stringify({ ocs: { meta: OK, data } });
const CAPABILITIES = ocs({ capabilities: { spreed: {} } });

/** A Nextcloud that answers as a test says, and a connector with a bot there. */
async function pairedWithLiar(answer: (path: string, ...exchange: Parameters<RequestListener>) => void) {
  const server = createServer((request, response) => answer(request.url ?? '', request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const setup = await chatConnector();
  setup.connector.provides.pairing!.connected({
    ...{ id: LOGIN.id, accountId: 'acc_1', label: 'ada', personId: 'ada' },
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: {
      ...{
        kind: 'addon',
        appId: 'chamade_talk',
        botLogin: 'chamade-bot-liar',
        botPassword: 'p',
        owner: 'ada',
      },
      ...{ apiSecret: 's'.repeat(64), canSend: true },
    },
  });
  return setup;
}

const chatPost = (
  { room, bot }: Pick<Awaited<ReturnType<typeof pairedChat>>, 'room' | 'bot'>,
  more: object = {},
) => ({
  ...{ type: 'Activity', room_token: room.token, sender: 'Ada', sender_id: 'users/ada', message: 'made up' },
  ...{ room_type: 1, bot_user: bot.uid, bot_owner: 'ada', ...more },
});

it('stores nothing of what a post says, forged or signed', async () => {
  const chat = await pairedChat();
  const { posts } = chat.nextcloud.addon;
  const forged = await posts.post('/api/nctalk/chat', chatPost(chat), { signature: '0'.repeat(64) });
  const signed = await posts.post('/api/nctalk/chat', chatPost(chat, { sender_id: 'users/eve' }));
  expect([forged!.status, signed!.status]).toEqual([401, 200]);
  expect(chat.intake.texts).toEqual([]);
});

it('looks into no room for a post that is repeated', async () => {
  const chat = await pairedChat();
  const { posts } = chat.nextcloud.addon;
  const first = await posts.post('/api/nctalk/chat', chatPost(chat));
  const before = chat.nextcloud.calls.length;
  const again = await posts.post('/api/nctalk/chat', chatPost(chat), { random: first!.random });
  expect([again!.status, chat.counts.get('webhook_repeated')]).toEqual([200, 1]);
  expect(chat.nextcloud.calls).toHaveLength(before);
});

it.each([
  ['chat', { room_token: '../../secret' }],
  ['chat', { room_token: 7 }],
  ['probe', { bot_login: 'x' }],
  ['attendee-added', {}],
  ['call-started', { room_token: '' }],
])('refuses the post %s %j', async (path, body) => {
  const { nextcloud } = await pairedChat();
  expect((await nextcloud.addon.posts.post(`/api/nctalk/${path}`, body))!.status).toBe(400);
});

it('keeps accounts on one Nextcloud apart, whose addon has one secret for all', async () => {
  const chat = await pairedChat();
  const { nextcloud, connector, connection, intake } = chat;
  const eve = nextcloud.user('eve', 'Eve');
  const credentials = nextcloud.addon.pairedBot({ gatewayUrl: chat.gatewayUrl, owner: eve });
  connector.provides.pairing!.connected({
    ...connection,
    ...{ id: 'con_eve', accountId: 'acc_2', credentials: { kind: 'addon', ...credentials } },
  });
  const evesBot = nextcloud.addon.bots.get(credentials.botLogin)!.user;
  await waitFor('the other bot', () =>
    [...nextcloud.world.rooms.values()].some(({ attendees }) => attendees.has(evesBot.uid)),
  );
  // Somebody who knows the secret names Eve's bot for Ada's room.
  await nextcloud.addon.posts.post('/api/nctalk/chat', chatPost(chat, { bot_user: evesBot.uid }));
  chat.room.write(chat.ada, 'for my agent only');
  await waitFor('the message', () => intake.texts.length === 1);
  expect(intake.messages[0]!.from.login).toEqual(LOGIN);
  const direct = {
    ...toAda('x'),
    to: { ...toAda('x').to, login: { kind: 'connection', id: 'con_none' } as const },
  };
  expect(await connector.provides.messenger!.send(direct, NEVER)).toMatchObject({ kind: 'refused' });
});

it('tells once that it cannot read what is encrypted, and does not read around it', async () => {
  const chat = await pairedChat();
  const { nextcloud, room, ada, bot, intake } = chat;
  room.write(ada, 'before');
  await waitFor('the message', () => intake.texts.length === 1);
  // A reading that goes on would find what is written meanwhile.
  let [calls, looks] = [0, 0];
  await waitFor('the reading to end', () => {
    looks = calls === nextcloud.calls.length ? looks + 1 : 0;
    calls = nextcloud.calls.length;
    return looks === 10;
  });
  nextcloud.addon.eventsWork = false;
  for (const text of ['secret one', 'secret two']) {
    room.write(ada, text);
    const { message: _none, ...post } = chatPost(chat, { type: 'Create', encrypted: { scheme: 'x25519' } });
    await nextcloud.addon.posts.post('/api/nctalk/chat', post);
  }
  const notices = () => writtenBy(bot, room).filter((text) => text.includes('encrypted'));
  await waitFor('the notice', () => notices().length > 0);
  await nextcloud.addon.posts.post('/api/e2ee/heartbeat', {});
  nextcloud.addon.eventsWork = true;
  room.write(ada, 'in the open');
  await waitFor('the message', () => intake.texts.length > 1);
  expect(intake.texts).toEqual(['before', 'in the open']);
  expect(notices()).toHaveLength(1);
});

it('survives a list of 100,000 rooms, and one that never ends', async () => {
  let lists = 0;
  const room = { token: 'aaaaaaaa', type: 2, name: 'x', displayName: 'x', lastMessage: { id: 9 } };
  const { counts, statuses } = await pairedWithLiar((path, _request, response) => {
    if (path.includes('/capabilities')) return void response.end(CAPABILITIES);
    if (!path.includes('/v4/room?')) return void response.end(ocs([]));
    lists += 1;
    response.write('{"ocs":{"meta":{},"data":[');
    const many = `${JSON.stringify(room)},`.repeat(1_000);
    for (let n = 0; n < 100; n++) response.write(many);
  });
  await waitFor('the list to be given up', () => lists > 0 && (counts.get('api_error') ?? 0) > 0);
  expect(statuses.at(-1)).toBe('ok');
});

it.each<[string, RequestListener]>([
  ['redirects', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  [
    'a login page',
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  ],
  ['nonsense', (_request, response) => response.end('['.repeat(50_000))],
  ['401 of a proxy', (_request, response) => response.writeHead(401).end()],
])('tells of a Nextcloud that answers with %s, and asks it again later', async (_what, answer) => {
  const { statuses, connector } = await pairedWithLiar((_path, request, response) =>
    answer(request, response),
  );
  await waitFor('the status', () => statuses.length > 0);
  expect(statuses[0]).not.toBe('ok');
  const outcome = await connector.provides.messenger!.send(toAda('hello'), NEVER);
  expect(outcome.kind).not.toBe('sent');
});

it('reads messages that make a page too long one by one', async () => {
  const LAST = 4;
  const message = (id: number) => ({
    ...{ id, actorType: 'users', actorId: 'ada', actorDisplayName: 'Ada', timestamp: 1, systemMessage: '' },
    ...{
      messageType: 'comment',
      message: `${id}`.padEnd(1_100_000, 'x'),
      messageParameters: [],
      referenceId: '',
    },
  });
  const room = { token: 'dddddddd', type: 1, name: 'ada', displayName: 'Ada', lastMessage: { id: 40 } };
  const { intake } = await pairedWithLiar((path, request, response) => {
    const url = new URL(path, 'http://nextcloud');
    if (path.includes('/capabilities')) return void response.end(CAPABILITIES);
    const isList = path.includes('room?') && request.method === 'GET';
    if (path.includes('/v4/room')) return void response.end(ocs(isList ? [room] : room));
    if (request.method === 'POST') return void response.end(ocs(message(1_000)));
    const after = Number(url.searchParams.get('lastKnownMessageId'));
    const limit = Number(url.searchParams.get('limit'));
    if (url.searchParams.get('lookIntoFuture') === '0' || after >= LAST)
      return void response.writeHead(304).end();
    const page = Array.from({ length: LAST - after }, (_, n) => message(after + n + 1)).slice(0, limit);
    response.setHeader('x-chat-last-given', `${page.at(-1)!.id}`).end(ocs(page));
  });
  await waitFor('the messages', () => intake.texts.length === LAST);
  expect(intake.messages.map(({ platformMessageId }) => Number(platformMessageId))).toEqual([1, 2, 3, 4]);
});
