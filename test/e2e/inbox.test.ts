import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor, within } from '../support/wait-for.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start();
});
afterAll(() => gateway?.stop());

it('the inbox is empty at first, and the account returns its first cursor', async () => {
  const { agentApi } = gateway;
  const { last_message_cursor: start } = (await agentApi.get('/api/account')).body;
  expect(start).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\|msg_0$/);
  const since = `/api/inbox?last_message_cursor=${encodeURIComponent(start)}`;
  expect((await agentApi.get(since)).body).toEqual({ conversations: [], cursor: start });
  expect((await agentApi.get('/api/inbox')).body.conversations).toEqual([]);
  const detail = await agentApi.get('/api/inbox?platform=telegram');
  expect([detail.status, detail.body]).toEqual([
    404,
    { detail: 'No active conversation', code: 'no_conversation' },
  ]);
});

it('a long poll is answered when its wait ends, and not before', async () => {
  const { agentApi } = gateway;
  const { cursor } = (await agentApi.get('/api/inbox')).body;
  const startMs = performance.now();
  const { status, body } = await agentApi.get(
    `/api/inbox?wait=1&last_message_cursor=${encodeURIComponent(cursor)}`,
  );
  expect([status, body]).toEqual([200, { conversations: [], cursor }]);
  expect(performance.now() - startMs).toBeGreaterThan(990);
});

/** A client of the WebSocket, and the frames it has received. */
async function listen(query = '') {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}${query}`;
  const socket = new WebSocket(url);
  const frames: AnyJson[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(`${data}`)));
  await waitFor('the first frame', () => frames.length > 0);
  return { socket, frames };
}

it('the inbox WebSocket reports calls as they happen, and again from a cursor', async () => {
  const { cursor } = (await gateway.agentApi.get('/api/inbox')).body;
  // Nothing listens on port 9: the call fails by itself.
  await gateway.putTrunk({ host: '127.0.0.1', port: 9, transport: 'tcp' });
  const live = await listen();
  expect(live.frames[0]).toMatchObject({ type: 'ready' });
  const { call_id } = await gateway.placeCall('sip:+33123456789@127.0.0.1');
  const told = await waitFor('the end of the call', () =>
    live.frames.find((frame) => frame.type === 'call_state' && frame.call_id === call_id),
  );
  expect(told).toMatchObject({ event_id: expect.stringMatching(/^evt_/), cursor: expect.any(String) });
  const again = await listen(`&last_message_cursor=${encodeURIComponent(cursor)}`);
  await waitFor('the event once more', () => again.frames.some(({ event_id }) => event_id === told.event_id));
  for (const { socket } of [live, again]) socket.terminate();
});

it('the inbox WebSocket includes an agent from when the key joins it', async () => {
  const { agentApi, settingsApi } = gateway;
  const [key] = (await settingsApi.get('/api/api-keys')).body.keys;
  const { socket, frames } = await listen();
  const late = (await settingsApi.post('/api/agents', { name: 'Late' })).body.id;
  const tellLate = (text: string) => agentApi.post('/api/dm/chat', { platform: 'agent', peer: 'Late', text });
  await tellLate('before');
  expect((await settingsApi.post(`/api/agents/${late}/keys/${key.id}`)).status).toBe(200);
  await tellLate('after');
  await waitFor('the message', () => frames.some(({ type }) => type === 'dm_chat'));
  const heard = frames.filter(({ type }) => type === 'dm_chat').map(({ message }) => message.text);
  expect(heard).toEqual(['after']);
  socket.terminate();
});

it.each([
  ['Étoile', 'éTOILE'],
  ['Юлия', 'ЮЛИЯ'],
])('a message to the agent %s addressed as %s is delivered and found', async (name, peer) => {
  const { agentApi, settingsApi } = gateway;
  const { id } = (await settingsApi.post('/api/agents', { name })).body;
  const sent = await agentApi.post('/api/dm/chat', { platform: 'agent', peer, text: `for ${name}` });
  expect([sent.status, sent.body.status]).toEqual([200, 'delivered']);
  const { body } = await agentApi.get(`/api/inbox?platform=agent&peer=${encodeURIComponent(peer)}`);
  expect(body.conversations[0].messages.map(({ text }: { text: string }) => text)).toEqual([`for ${name}`]);
  expect(body.conversations[0].agents.map((agent: { id: string }) => agent.id)).not.toContain(id);
});

it('a stopping gateway answers waiting requests', async () => {
  const { agentApi } = gateway;
  const waiting = agentApi.get('/api/inbox?wait=55&last_message_cursor=2030-01-01');
  await waitFor('the request to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1);
  const stopped = gateway.stop();
  expect((await within('the answer', waiting)).status).toBe(200);
  expect(await stopped).toBe(0);
});
