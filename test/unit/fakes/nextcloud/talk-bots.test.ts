import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import { signatureOver } from '../../../fakes/nextcloud/talk/bot-webhooks.ts';
import type { InstalledBot } from '../../../fakes/nextcloud/talk/talk-bots.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../../fakes/nextcloud/world/fake-room.ts';
import { OcsPerson } from './ocs-person.ts';

let nextcloud: FakeNextcloud;
let server: Server;
let got: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
let bot: InstalledBot;
let room: FakeRoom;
let ada: FakeNcUser;

beforeEach(async () => {
  got = [];
  server = createServer(async (request, response) => {
    got.push({ headers: request.headers, body: await text(request) });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  nextcloud = await FakeNextcloud.start();
  bot = nextcloud.talkBots.install({
    name: 'Agent',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret: 's'.repeat(64),
    features: 1 | 2 | 8,
  });
  ada = nextcloud.user('ada', 'Ada');
  room = nextcloud.room({ kind: 'group', name: 'Team', members: [ada] });
});

afterEach(async () => {
  await nextcloud.stop();
  server.close();
});

async function heard() {
  await nextcloud.webhooks.idle();
  return got.map(({ body }) => JSON.parse(body));
}

function ask(method: string, path: string, signed: string, body: object, secret = bot.secret) {
  const random = 'r'.repeat(64);
  return fetch(`${nextcloud.url}/ocs/v2.php/apps/spreed/api/v1/bot/${room.token}/${path}`, {
    method,
    headers: {
      'OCS-APIRequest': 'true',
      'Content-Type': 'application/json',
      'X-Nextcloud-Talk-Bot-Random': random,
      'X-Nextcloud-Talk-Bot-Signature': signatureOver(random, signed, secret),
    },
    body: JSON.stringify(body),
  });
}

test('a bot hears of messages, replies and reactions, signed over random and body', async () => {
  nextcloud.webhooks.enable(bot, room);
  const first = room.write(ada, 'hello');
  room.write(ada, 'more', { replyTo: first });
  room.react(ada, first, '👍');
  room.unreact(ada, first, '👍');
  const activities = await heard();
  expect(activities.map(({ type }) => type).toSorted()).toEqual([
    'Activity',
    'Create',
    'Create',
    'Join',
    'Like',
    'Undo',
  ]);
  const created = activities.filter(({ type }) => type === 'Create');
  expect(created.find(({ object }) => object.id === `${first}`)).toEqual({
    type: 'Create',
    actor: { type: 'Person', id: 'users/ada', name: 'Ada', talkParticipantType: '1' },
    object: {
      type: 'Note',
      id: `${first}`,
      name: 'message',
      content: '{"message":"hello","parameters":[]}',
      mediaType: 'text/markdown',
    },
    target: { type: 'Collection', id: room.token, name: 'Team' },
  });
  expect(created.find(({ object }) => object.inReplyTo)?.object.inReplyTo.object.id).toBe(`${first}`);
  for (const { headers, body } of got) {
    const random = `${headers['x-nextcloud-talk-random']}`;
    expect(headers['x-nextcloud-talk-signature']).toBe(signatureOver(random, body, bot.secret));
    expect(headers['x-nextcloud-talk-backend']).toBe(`${nextcloud.url}/`);
  }
});

test('a bot writes and reacts with the text signed, where it is enabled', async () => {
  const send = (secret?: string) => ask('POST', 'message', 'hi', { message: 'hi' }, secret);
  expect((await send()).status).toBe(401);
  nextcloud.webhooks.enable(bot, room);
  expect((await send('x'.repeat(64))).status).toBe(401);
  expect((await send()).status).toBe(201);
  const written = room.messages.at(-1)!;
  expect(written).toMatchObject({ text: 'hi', actor: { type: 'bots', name: 'Agent' } });
  const react = () => ask('POST', `reaction/${written.id}`, '👍', { reaction: '👍' });
  expect([(await react()).status, (await react()).status]).toEqual([201, 200]);
  expect((await ask('DELETE', `reaction/${written.id}`, '👍', { reaction: '👍' })).status).toBe(200);
  expect((await ask('POST', 'reaction/1', '👍', { reaction: '👍' })).status).toBe(404);
  expect((await ask('POST', 'message', 'x', { message: 'x', replyTo: 1 })).status).toBe(400);
  const long = 'x'.repeat(32_001);
  expect((await ask('POST', 'message', long, { message: long })).status).toBe(413);
  const names = (await heard()).map(({ type, object }) => [type, object.name]);
  expect(names.toSorted()).toEqual([
    ['Activity', 'reaction_revoked'],
    ['Join', 'Team'],
    ['Like', 'message'],
    ['Undo', undefined],
  ]);
});

test('moderators enable bots', async () => {
  const person = new OcsPerson(nextcloud, ada);
  const path = `api/v1/bot/${room.token}/${bot.id}`;
  expect((await person.ask('POST', path)).status).toBe(201);
  expect((await person.ask('POST', path)).status).toBe(200);
  expect((await person.ask('GET', `api/v1/bot/${room.token}`)).data).toContainEqual({
    id: bot.id,
    name: 'Agent',
    description: '',
    state: 1,
  });
  expect((await person.ask('DELETE', path)).status).toBe(200);
  expect((await heard()).map(({ type }) => type).toSorted()).toEqual(['Join', 'Leave']);
});
