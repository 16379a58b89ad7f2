import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Agent } from '../support/agent.ts';
import type { AnyJson } from '../support/any-json.ts';
import { EventLog } from '../support/event-log.ts';
import type { Gateway } from '../support/gateway.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';

type Told = AnyJson;

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start();
});
afterAll(() => pair?.stop());

const statusOf = async (gateway: Gateway, callId: string) => {
  const { status, body } = await gateway.agentApi.get(`/api/call/${callId}`);
  return { status, ...body };
};

const cursorNow = async (gateway: Gateway) => (await gateway.agentApi.get('/api/inbox')).body.cursor;

/** The inbox events of one call since a cursor, without invitations. */
async function toldSince(gateway: Gateway, cursor: string, callId: string): Promise<Told[]> {
  const query = `last_message_cursor=${encodeURIComponent(cursor)}`;
  const { body } = await gateway.agentApi.get(`/api/inbox?${query}`);
  return (body.events ?? []).filter(
    ({ call_id, type }: Told) => call_id === callId && type !== 'call_invite',
  );
}

/** The inbox WebSocket of the operator's agent. */
async function inboxOf(gateway: Gateway): Promise<{ told: EventLog<Told>; socket: WebSocket }> {
  const socket = new WebSocket(
    `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`,
  );
  const told = new EventLog<Told>();
  socket.on('message', (data) => told.push(JSON.parse(`${data}`)));
  await told.next('the first frame', ({ type }) => type === 'ready');
  return { told, socket };
}

const FAILURES: [string, () => Promise<string>, { result: string; reason: string }][] = [
  [
    'to an unknown number',
    async () => pair.uriOf('+33999999999'),
    { result: 'failed', reason: expect.stringContaining('404') },
  ],
  [
    'that is declined',
    async () => {
      const number = await pair.listNumber(false);
      void refuseOnceRinging(number);
      return pair.uriOf(number);
    },
    { result: 'refused', reason: expect.stringContaining('603') },
  ],
];

async function refuseOnceRinging(number: string): Promise<void> {
  for (;;) {
    const { calls } = (await pair.callee.agentApi.get('/api/calls')).body;
    const ringing = calls.find((call: Told) => call.meeting_url.includes(number));
    if (ringing) return void (await pair.callee.agentApi.post(`/api/call/${ringing.call_id}/refuse`));
  }
}

it.each(FAILURES)('an outbound call %s stays readable and shows why everywhere', async (_what, dial, why) => {
  const cursor = await cursorNow(pair.caller);
  const { told, socket } = await inboxOf(pair.caller);
  const mcp: McpClient = await connectMcp({
    kind: 'v2 legacy',
    path: 'http',
    baseUrl: pair.caller.baseUrl,
    apiKey: pair.caller.agentKey,
    isStateful: true,
  });
  const call = await pair.caller.placeCall(await dial());
  const { call_id } = call;
  await pair.caller.waitForState(call_id, 'disconnected');

  const shown = await statusOf(pair.caller, call_id);
  expect(shown).toMatchObject({ status: 200, state: 'disconnected', termination: why });
  const error = {
    type: 'call_error',
    call_id,
    code: 'call_failed',
    message: expect.stringContaining('could not be connected'),
    state: 'disconnected',
    termination: why,
  };
  const heard = await told.next('the error', (event) => event.type === 'call_error');
  expect(heard).toMatchObject(error);
  expect(await told.next('the state', (event) => event.type === 'call_state')).toMatchObject({
    call_id,
    state: 'disconnected',
    termination: why,
  });
  const metaOf = (params: Told): Told => params?.meta ?? {};
  const push = await mcp.notices.next(
    'the push',
    ({ params }) => metaOf(params).type === 'call_error' && metaOf(params).call_id === call_id,
  );
  expect(push.params).toMatchObject({ content: heard.message, meta: { code: 'call_failed' } });
  expect(JSON.parse(metaOf(push.params).termination)).toEqual(shown.termination);
  const happened = await toldSince(pair.caller, cursor, call_id);
  // It may have rung before.
  const polled = happened.filter(({ type }) => type !== 'call_progress');
  expect(polled.map(({ type }) => type)).toEqual(['call_error', 'call_state']);
  expect(polled[0]).toMatchObject(error);
  socket.terminate();
  await mcp.close();
});

it('a call that ends normally is removed, and the feed reports its result', async () => {
  const cursor = await cursorNow(pair.caller);
  const calls = await pair.connect();
  const { call_id } = calls.outbound;
  expect((await statusOf(pair.caller, call_id)).termination).toBeNull();
  await pair.hangUp(calls);
  expect(await statusOf(pair.caller, call_id)).toMatchObject({ status: 404, detail: 'Call not found' });
  const states = (await toldSince(pair.caller, cursor, call_id)).map(({ type, state, termination }) => {
    return [type, state, termination?.result];
  });
  expect(states).toEqual([
    ['call_state', 'active', undefined],
    ['call_state', 'ended', 'completed'],
  ]);
});

it('a stopping gateway disconnects a ringing outbound call; the far end records it as missed', async () => {
  const { outbound, inbound } = await pair.ring();
  await pair.caller.restart();
  expect(await statusOf(pair.caller, outbound.call_id)).toMatchObject({
    status: 200,
    state: 'disconnected',
    termination: { result: 'disconnected', reason: 'the gateway was stopped' },
  });
  await pair.callee.waitForState(inbound.call_id, 'missed');
});

it('a gateway that stops leaves its calls disconnected', async () => {
  const [talk, ring] = [await pair.connect(), await pair.ring()];
  const own = [talk.inbound, ring.inbound].map(({ call_id }) => call_id as string);
  const cursor = await cursorNow(pair.callee);
  const agents = await Promise.all(
    [talk, ring].map(({ inbound }) => Agent.connect(inbound.audio.stream_url, pair.callee.agentKey, 8000)),
  );
  const { told } = await inboxOf(pair.callee);
  await pair.callee.restart();
  const termination = { result: 'disconnected', reason: 'the gateway was stopped' };
  for (const call_id of own) {
    expect(await statusOf(pair.callee, call_id)).toMatchObject({
      status: 200,
      state: 'disconnected',
      termination,
    });
    const events = await toldSince(pair.callee, cursor, call_id);
    expect(events.map(({ type }) => type)).toEqual(['call_error', 'call_state']);
    expect(events[0]).toMatchObject({ code: 'bridge_disconnected', state: 'disconnected', termination });
    expect(events[0].message).toContain('same meeting_url');
  }
  for (const agent of agents) {
    expect(await agent.closed).toBe(1001);
    expect(agent.events.slice(-2)).toEqual([
      { type: 'call_error', code: 'bridge_disconnected', message: expect.any(String), termination },
      { type: 'call_state', state: 'disconnected', termination },
    ]);
  }
  for (const call_id of own)
    await told.next('the error', (event) => event.type === 'call_error' && event.call_id === call_id);
});
