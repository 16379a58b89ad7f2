import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBridge } from '../fakes/platform-bridge/fake-bridge.ts';
import { type Answered, BridgeWorld, TENANT } from '../support/bridge-world.ts';
import type { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const USER = '99999999-8888-4777-8666-bbbbbbbbbbbb';

let world: BridgeWorld;
let bridge: FakeBridge;
let gateway: Gateway;

beforeAll(async () => {
  world = await BridgeWorld.start({ SVC_FILES_FETCH_ALLOW: '127.0.0.9' });
  ({ bridge, gateway } = world);
  await world.connect([USER]);
});
afterAll(() => world?.stop());

const events: BridgeWorld['events'] = (...list) => world.events(...list);
const chat = (fields: object, init: RequestInit = {}) => world.chat(USER, fields, init);
const hasMessage = (text: string) => world.rows(text).length > 0;

/** The agent writes as soon as a text is in the inbox. */
async function answerTo(text: string, reply: string): Promise<Answered> {
  await waitFor(`the message ${text}`, () => hasMessage(text));
  return await gateway.agentApi.post('/api/dm/chat', { platform: 'teams', text: reply });
}

it('answers a chat message with the reply of the agent, which is not sent again', async () => {
  const asked = chat({ text: 'one' });
  const written = await answerTo('one', 'two');
  const { status, body } = await asked;
  expect([status, body]).toEqual([
    200,
    { version: 1, status: 'stored', reply: { message_id: written.body.message_id, text: 'two' } },
  ]);
  expect(written.body).toMatchObject({ status: 'delivered' });
  bridge.shown(body.reply.message_id);
  expect(bridge.texts).not.toContain('two');
  // A later message goes to the bridge.
  expect((await answerTo('one', 'three')).status).toBe(200);
  expect(bridge.told.all.filter(({ type }) => type === 'message')).toMatchObject([
    {
      platform: 'teams',
      login: `con_${USER}`,
      space: { kind: 'direct', id: `${TENANT}:${USER}` },
      text: 'three',
    },
  ]);
});

it('stores a message once and answers its repetition at once', async () => {
  const message = world.chatBody(USER, { text: 'once' });
  const asked = world.post('/api/teams/chat', message);
  await answerTo('once', 'yes');
  await asked;
  expect((await world.post('/api/teams/chat', message)).body).toEqual({
    version: 1,
    status: 'duplicate',
    reply: null,
  });
  expect(world.rows('once')).toHaveLength(1);
});

it('tells agents at once that the bridge takes no files', async () => {
  await events({
    type: 'dm',
    platform: 'teams',
    person: { id: `${TENANT}:${USER}`, name: 'Ada' },
    message_id: 'before the file',
    text: 'a file, please',
  });
  const attachments = [{ bytes_b64: 'YQ==', name: 'a.txt', mime: 'text/plain' }];
  const sent = await gateway.agentApi.post('/api/dm/chat', { platform: 'teams', text: 'here', attachments });
  expect([sent.status, sent.body.detail]).toEqual([400, 'The teams platform does not support files']);
  expect(bridge.texts).not.toContain('here');
});

it('sends a reply for which the bridge no longer waits', async () => {
  const gone = new AbortController();
  const asked = chat({ text: 'bye' }, { signal: gone.signal }).catch(() => 'gone');
  await waitFor('the message', () => hasMessage('bye'));
  gone.abort();
  expect(await asked).toBe('gone');
  await waitFor('nothing waits', async () => (await gateway.metric('svc_bridge_requests_waiting')) === 0);
  expect((await answerTo('bye', 'still here')).body).toMatchObject({ status: 'delivered' });
  expect(bridge.texts).toContain('still here');
});

it('stores the message of a request whose gateway is killed, and sends the reply after it', async () => {
  const asked = chat({ text: 'before the kill' }).catch(() => 'cut');
  await waitFor('the message', () => hasMessage('before the kill'));
  await gateway.killHard();
  expect(await asked).toBe('cut');
  await gateway.restart();
  expect((await answerTo('before the kill', 'after the kill')).body).toMatchObject({ status: 'delivered' });
  expect(bridge.texts.filter((text) => text === 'after the kill')).toHaveLength(1);
});

it('delivers once to a bridge that fails on the way', async () => {
  bridge.faults.push({ status: 503, headers: { 'retry-after': '1' } }, { status: 200, cuts: true });
  const posts = bridge.posts;
  expect((await answerTo('one', 'through faults')).body).toMatchObject({ status: 'delivered' });
  expect(bridge.texts.filter((text) => text === 'through faults')).toHaveLength(1);
  expect(bridge.posts - posts).toBe(3);
});

it('tells the agent what the bridge refuses', async () => {
  bridge.faults.push({ status: 200, body: '{"status":"refused","reason":"blocked by the user"}' });
  const { status, body } = await answerTo('one', 'refused');
  expect([status, body.detail]).toEqual([502, 'Failed to send message: blocked by the user']);
});

it('links a person of any platform, and carries their messages both ways', async () => {
  const person = { id: 'users/grace', name: 'Grace' };
  const at = { platform: 'nctalk', person };
  const dm = { ...at, type: 'dm', message_id: '1', text: 'hi from Talk' };
  expect(await events(dm)).toEqual([{ status: 'unknown_account' }]);
  const { body } = await gateway.settingsApi.post('/api/invite-link', {});
  const link = { ...at, type: 'link', token: body.invite_token };
  expect(await events(link, link, dm, dm)).toEqual([
    { status: 'done' },
    { status: 'unknown_token' },
    { status: 'stored' },
    { status: 'duplicate' },
  ]);
  expect(await events({ ...at, type: 'edit', message_id: '1', text: 'hi, edited' })).toEqual([
    { status: 'done' },
  ]);
  expect(world.rows('hi, edited')).toHaveLength(1);
  await gateway.agentApi.post('/api/dm/chat', { platform: 'nctalk', text: 'hi Grace' });
  expect(bridge.texts).toContain('hi Grace');
  expect(await events({ ...at, type: 'delete', message_id: '1' })).toEqual([{ status: 'done' }]);
  expect(world.rows('[message deleted]')).toHaveLength(1);
});

it('rings calls and tells the bridge what becomes of them', async () => {
  const person = { id: `${TENANT}:${USER}`, name: 'Ada' };
  const invite = (call_ref: string) => ({ type: 'call_invite', platform: 'teams', person, call_ref });
  expect(await events(invite('c1'), invite('c1'))).toEqual([{ status: 'ringing' }, { status: 'duplicate' }]);
  const [ringing] = await ringingCalls();
  expect(ringing).toMatchObject({ platform: 'teams', direction: 'inbound', caller: 'Ada', capabilities: [] });
  expect((await gateway.agentApi.post(`/api/call/${ringing.call_id}/accept`, {})).status).toBe(200);
  expect(await toldOf('c1')).toEqual(['call_accept']);
  expect(await events({ type: 'call_ended', platform: 'teams', call_ref: 'c1' })).toEqual([
    { status: 'done' },
  ]);
  await waitFor('no call', async () => (await liveCalls()).length === 0);

  await events(invite('c2'));
  const [refused] = await ringingCalls();
  await gateway.agentApi.post(`/api/call/${refused.call_id}/refuse`, {});
  expect(await toldOf('c2')).toEqual(['call_refuse']);

  await events(invite('c3'));
  const [left] = await ringingCalls();
  await gateway.agentApi.post(`/api/call/${left.call_id}/accept`, {});
  await gateway.agentApi.delete(`/api/call/${left.call_id}`);
  await waitFor('the bridge to know', async () => (await toldOf('c3')).length === 2);
  expect(await toldOf('c3')).toEqual(['call_accept', 'call_leave']);
  expect(await events({ type: 'call_ended', platform: 'teams', call_ref: 'c3' })).toEqual([
    { status: 'unknown_call' },
  ]);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
async function liveCalls(): Promise<any[]> {
  const { body } = await gateway.agentApi.get('/api/calls');
  return body.calls ?? body;
}

const ringingCalls = () =>
  waitFor('a ringing call', async () => {
    const ringing = (await liveCalls()).filter(({ state }) => state === 'ringing');
    return ringing.length > 0 && ringing;
  });

async function toldOf(callRef: string): Promise<string[]> {
  return await waitFor(`the bridge to be told about ${callRef}`, () => {
    const told = bridge.told.all.flatMap((each) =>
      'call_ref' in each && each.call_ref === callRef ? [each.type] : [],
    );
    return told.length > 0 && told;
  });
}

it('fetches the file of a message when it is read, and never from inside', async () => {
  const inside = createServer((_request, response) => response.end('secret'));
  const web = createServer((_request, response) => response.end('the bytes'));
  const [port, insidePort] = [await listen(web, '127.0.0.9'), await listen(inside, '127.0.0.1')];
  const attachments = [
    { name: 'a.txt', mime: 'text/plain', url: `http://127.0.0.9:${port}/a` },
    { name: 'b.txt', mime: 'text/plain', url: `http://127.0.0.1:${insidePort}/b` },
  ];
  const person = { id: 'users/grace' };
  const dm = { type: 'dm', platform: 'nctalk', person, message_id: 'files', text: 'two files', attachments };
  expect(await events(dm, { ...dm, platform: 'teams', person: { id: `${TENANT}:${USER}` } })).toEqual([
    { status: 'stored' },
    { status: 'not_served', reason: 'The gateway takes no files on this platform' },
  ]);
  const { body } = await gateway.agentApi.get('/api/inbox?platform=nctalk');
  const message = body.conversations[0].messages.find(({ text }: { text: string }) => text === 'two files');
  const urls = message.attachments.map(({ url }: { url: string }) => url);
  const got = await Promise.all(urls.map((url: string) => fetch(url)));
  expect(got.map(({ status }) => status)).toEqual([200, 410]);
  expect(await got[0]?.text()).toBe('the bytes');
  web.close();
  inside.close();
});

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('says what it does not serve', async () => {
  const person = { id: '1' };
  const file = { name: 'a.txt', url: 'https://example.com/a.txt' };
  expect(
    await events(
      { type: 'dm', platform: 'telegram', person, message_id: '1', attachments: [file] },
      { type: 'call_invite', platform: 'telegram', person, call_ref: '1' },
      { type: 'dm', platform: 'telegram', person, message_id: '1', text: 'hi' },
    ),
  ).toEqual([
    { status: 'not_served', reason: expect.stringContaining('SVC_BRIDGE_PLATFORMS') },
    { status: 'not_served', reason: expect.stringContaining('SVC_BRIDGE_PLATFORMS') },
    { status: 'unknown_account' },
  ]);
});
