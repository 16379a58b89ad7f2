import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { chatConnector, fakeNextcloud, LOGIN, NEVER, toRoom } from './chat-setup.ts';

const SECRET = '5'.repeat(64);
const WEBHOOK = 1;
const RESPONSE = 2;

async function installed() {
  const nextcloud = await fakeNextcloud();
  const setup = await chatConnector();
  setup.connector.provides.pairing!.connected({
    ...{ id: LOGIN.id, accountId: 'acc_1', server: nextcloud.url, label: 'bot', personId: null },
    credentials: { kind: 'talk_bot', secret: SECRET },
  });
  await waitFor('the bot', () => setup.statuses.includes('ok'));
  const url = `${setup.gatewayUrl}/api/nctalk/bots/${LOGIN.id}`;
  const ada = nextcloud.user('ada', 'Ada Lovelace');
  const room = nextcloud.room({ kind: 'group', name: 'Plans', members: [ada] });
  const bot = nextcloud.talkBots.install({
    name: 'Agent',
    url,
    secret: SECRET,
    features: WEBHOOK | RESPONSE,
  });
  room.bots.add(bot.id);
  const post = async (body: object | string, more: Readonly<Record<string, string>> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const random = 'r'.repeat(64);
    const signature = createHmac('sha256', SECRET).update(random).update(text).digest('hex');
    const headers = { 'x-nextcloud-talk-random': random, 'x-nextcloud-talk-signature': signature, ...more };
    return (await fetch(url, { method: 'POST', body: text, headers })).status;
  };
  return { ...setup, nextcloud, ada, room, bot, url, post };
}

it('hears what people write where it is switched on, and answers there', async () => {
  const { room, ada, intake, connector, nextcloud, bot } = await installed();
  const first = room.write(ada, 'Which plan?');
  room.write(ada, '@ada this one', { replyTo: first });
  room.write(ada, 'look', {
    file: { name: 'plan.pdf', mime: 'application/pdf', bytes: Buffer.from('plan') },
  });
  await waitFor('the messages', () => intake.texts.length === 3);
  expect(intake.texts.toSorted()).toEqual([
    '@Ada Lovelace this one',
    'Which plan?',
    'look\n[file: plan.pdf]',
  ]);
  const answered = { author: 'Ada Lovelace', text: 'Which plan?' };
  expect(intake.messages.find(({ text }) => text.endsWith('this one'))!.replyTo).toMatchObject(answered);
  expect(intake.messages.find(({ platformMessageId }) => platformMessageId === `${first}`)).toMatchObject({
    from: { space: { kind: 'channel', id: room.token }, person: 'ada' },
    ...{ remoteName: 'Plans', senderName: 'Ada Lovelace' },
  });
  const outcome = await connector.provides.messenger!.send(toRoom(room, 'That one'), NEVER);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [] });
  expect(room.messages.at(-1)).toMatchObject({ text: 'That one', actor: { type: 'bots' } });
  expect([nextcloud.mistakes, bot.errors]).toEqual([[], 0]);
});

it('cannot tell whether what another process was sending has arrived', async () => {
  const { room, connector, nextcloud } = await installed();
  const { messenger } = connector.provides;
  const reached = Promise.withResolvers<void>();
  nextcloud.fail('bot.send', { kind: 'hang', isDone: true, reached: reached.resolve });
  void messenger!.send(toRoom(room, 'perhaps'), NEVER);
  await reached.promise;
  expect(await messenger!.send(toRoom(room, 'perhaps'), NEVER)).toMatchObject({ kind: 'unknown' });
});

it('reports where it is switched on and off (nextcloud/spreed#13204), and nothing of reactions', async () => {
  const { room, post, intake } = await installed();
  const actor = {
    type: 'Application',
    id: 'bots/bot-a78f46c5c203141b247554e180e1aa3553d282c6',
    name: 'Bot123',
  };
  const object = { type: 'Collection', id: room.token, name: 'world' };
  expect(await post({ type: 'Join', actor, object })).toBe(200);
  expect(intake.reached).toEqual([{ remoteId: room.token, isReachable: true }]);
  const like = { type: 'Like', actor, object: { type: 'Note', id: '1567' }, target: object, content: '😆' };
  expect(await post(like)).toBe(200);
  expect(intake.texts).toEqual([]);
});

it('takes posts of its Nextcloud only, and each once', async () => {
  const { post, url, intake, room, ada } = await installed();
  room.write(ada, 'first');
  await waitFor('the message', () => intake.texts.length === 1);
  const body = {
    type: 'Create',
    actor: { type: 'Person', id: 'users/ada-lovelace', name: 'Ada Lovelace' },
    object: { type: 'Note', id: '1567', name: 'message', content: '{"message":"hi","parameters":[]}' },
    target: { type: 'Collection', id: 'n3xtc10ud', name: 'world' },
  };
  expect(await post(body, { 'x-nextcloud-talk-signature': 'f'.repeat(64) })).toBe(401);
  expect(await post(body, { 'x-nextcloud-talk-signature': '' })).toBe(401);
  expect(await post(body, { 'x-nextcloud-talk-random': 'short' })).toBe(401);
  expect((await fetch(`${url}x`, { method: 'POST', body: '{}' })).status).toBe(404);
  for (const bad of ['x'.repeat(65_536), '['.repeat(65_536), '{"type":5}', '[]'])
    expect(await post(bad)).toBe(400);
  expect(await post({ ...body, object: { id: '../1', content: '{}' } })).toBe(400);
  expect(intake.texts).toEqual(['first']);
  expect(await post(body)).toBe(200);
  expect(await post(body)).toBe(200);
  expect(intake.texts).toEqual(['first', 'hi']);
});
