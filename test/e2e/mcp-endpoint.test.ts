import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { waitFor, within } from '../support/wait-for.ts';

const SESSIONS = 3;
const MODERN = '2026-07-28';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start({
    env: {
      SVC_MCP_SESSIONS_PER_ACCOUNT: `${SESSIONS}`,
      SVC_MCP_ALLOWED_ORIGINS: 'https://assistant.example',
    },
  });
});
afterAll(() => gateway?.stop());

function caller(path = '/mcp/', key = gateway.agentKey): McpCaller {
  return new McpCaller(`${gateway.baseUrl}${path}`, { authorization: `Bearer ${key}` });
}

/** A key that can be taken away again. */
async function mintKey(): Promise<{ readonly id: string; readonly key: string }> {
  const { body } = await gateway.settingsApi.post('/api/api-keys', { name: 'for a session' });
  const key = `${Object.values<unknown>(body).find((value) => /^svc_[\w-]{40,}$/.test(`${value}`))}`;
  gateway.secrets.add(key);
  return { id: body.id, key };
}

function inboxCall(id: number): object {
  const args = { last_message_cursor: '2030-01-01', wait: 55 };
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'svc_inbox', arguments: args } };
}

async function waiters(count: number): Promise<void> {
  await waitFor(`${count} to wait`, async () => (await gateway.metric('svc_inbox_waiters')) === count);
}

it('speaks both protocol generations, with and without the trailing slash', async () => {
  for (const path of ['/mcp', '/mcp/']) {
    const legacy = await caller(path).call('svc_account');
    expect(legacy.result.structuredContent.concurrent_calls.active).toBe(0);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'svc_account', arguments: {}, _meta: meta };
    const { text } = await caller(path).post(
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'svc_account' },
    );
    const { last_message_cursor: _now, ...account } = legacy.result.structuredContent;
    expect(JSON.parse(text).result).toMatchObject({ resultType: 'complete', structuredContent: account });
  }
  expect((await caller().ask('tools/list')).result.tools).toHaveLength(16);
});

it('accepts agent keys only', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await caller('/mcp', gateway.settingsKey).post(ping)).status).toBe(403);
  const { status, headers } = await caller('/mcp', 'svc_wrong').post(ping);
  expect(status).toBe(401);
  const metadata = `${gateway.baseUrl}/.well-known/oauth-protected-resource/mcp`;
  expect(headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${metadata}", error="invalid_token", error_description="The token is unknown, expired or revoked"`,
  );
  expect((await caller().post(`"${'x'.repeat(1_100_000)}"`)).status).toBe(413);
});

it('refuses foreign origins and rebound host names', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await caller().post(ping, { origin: 'https://assistant.example' })).status).toBe(200);
  expect((await caller().post(ping, { origin: gateway.baseUrl })).status).toBe(200);
  const strange = await caller().post(ping, { origin: 'https://claude.ai' });
  expect([strange.status, JSON.parse(strange.text)]).toEqual([
    403,
    { detail: 'Invalid Origin header', code: 'invalid_origin' },
  ]);
  const status = await new Promise<string>((resolve) => {
    const socket = connect(gateway.httpPort, '127.0.0.1', () =>
      socket.write(`GET /mcp HTTP/1.1\r\nHost: bent.example\r\nX-API-Key: ${gateway.agentKey}\r\n\r\n`),
    );
    socket.once('data', (data) => {
      resolve(data.toString('latin1').split(' ')[1]!);
      socket.destroy();
    });
  });
  expect(status).toBe('403');
});

it('ends a waiting svc_inbox call when its client disconnects or cancels it', async () => {
  const aborter = new AbortController();
  const gone = caller()
    .post(inboxCall(1), {}, aborter.signal)
    .catch(() => null);
  await waiters(1);
  aborter.abort();
  await waiters(0);
  await gone;
  const cancelled = caller().post(inboxCall(2));
  await waiters(1);
  await caller().post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await waiters(0);
  expect((await cancelled).status).toBe(200);
  const session = await caller('/mcp/?stateful').open();
  const inSession = session.post(inboxCall(3));
  await waiters(1);
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
  await waiters(0);
  expect((await inSession).status).toBe(200);
  await session.request('DELETE');
});

it('pushes events, and resends missed ones after a disconnect', async () => {
  const session = await caller('/mcp/?stateful').open();
  const listener = await session.listen();
  // Nothing listens on port 9: the call fails by itself.
  await gateway.putTrunk({ host: '127.0.0.1', port: 9, transport: 'tcp' });
  const first = await gateway.placeCall('sip:+33123456789@127.0.0.1');
  const pushOf = (type: string) =>
    waitFor(`the ${type} of the call`, () =>
      listener.told.find(
        ({ data: { params } }) => params?.meta?.call_id === first.call_id && params.meta.type === type,
      ),
    );
  expect((await pushOf('call_error')).data.params.meta.code).toBe('call_failed');
  const told = await pushOf('call_state');
  expect(told.data).toMatchObject({
    method: 'notifications/claude/channel',
    params: {
      meta: { type: 'call_state', state: expect.any(String), event_id: expect.stringMatching(/^evt_/) },
    },
  });
  listener.close();
  const second = await gateway.placeCall('sip:+33123456789@127.0.0.1');
  await waitFor('its end', async () => (await gateway.agentApi.get('/api/calls')).body.calls?.length !== 1);
  const again = await session.listen({ 'last-event-id': told.id! });
  await waitFor('what was missed', () =>
    again.told.some(({ data }) => data.params?.meta?.call_id === second.call_id),
  );
  expect(again.told.some(({ id }) => id === told.id)).toBe(false);
  await session.request('DELETE');
  await waitFor('the end of the stream', () => again.isOver);
});

it('ends sessions and their streams when their key is revoked', async () => {
  const { id, key } = await mintKey();
  const session = await caller('/mcp/?stateful', key).open();
  const listener = await session.listen();
  const waiting = session.post(inboxCall(4));
  await waiters(1);
  await gateway.settingsApi.delete(`/api/api-keys/${id}`);
  await waitFor('the end of the stream', () => listener.isOver);
  await within('the end of the call', waiting);
  expect((await session.post(inboxCall(5))).status).toBe(401);
  expect(await gateway.metric('svc_mcp_sessions')).toBe(0);
});

it('drops the oldest idle session at the limit, and answers 429 when all are in use', async () => {
  const open = () => caller('/mcp/?stateful').open();
  const sessions = [await open(), await open(), await open()];
  const fourth = await open();
  expect((await sessions[0]!.post(inboxCall(1))).status).toBe(404);
  const inUse = [sessions[1]!, sessions[2]!, fourth];
  const listeners = [];
  for (const session of inUse) listeners.push(await session.listen());
  await expect(open()).rejects.toThrow('429');
  expect(await gateway.metric('svc_mcp_sessions')).toBe(SESSIONS);
  expect(await gateway.metric('svc_mcp_sessions_refused_total')).toBe(1);
  for (const listener of listeners) listener.close();
  for (const session of inUse) await session.request('DELETE');
});

/** Streams that ended with their connections. */
async function streamsCut(): Promise<number> {
  const { body } = await gateway.api(null).get('/metrics');
  return Number(/_count\{method="get",path="\/mcp",status="499"\} (\d+)/.exec(body)?.[1] ?? 0);
}

it('drops the stream of a client that does not read', async () => {
  const session = await caller('/mcp/?stateful').open();
  const { headers } = await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const socket = connect(gateway.httpPort, '127.0.0.1');
  const lines = [
    'GET /mcp/?stateful HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${gateway.agentKey}`,
    'Accept: text/event-stream',
    `Mcp-Session-Id: ${headers.get('mcp-session-id')}`,
  ];
  const before = await streamsCut();
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const { body } = await gateway.settingsApi.post('/api/agents', { name: 'Writer' });
  const minted = (await gateway.settingsApi.post(`/api/agents/${body.id}/keys`, { name: 'writes' })).body;
  const key = `${Object.values<unknown>(minted).find((value) => /^svc_[\w-]{40,}$/.test(`${value}`))}`;
  gateway.secrets.add(key);
  const agents = (await gateway.settingsApi.get('/api/agents')).body;
  const reader = (agents.agents ?? agents).find((agent: { is_default: boolean }) => agent.is_default).id;
  const text = 'x'.repeat(10_000);
  for (let n = 0; n < 50; n++) {
    const write = () => gateway.api(key).post('/api/dm/chat', { platform: 'agent', peer: reader, text });
    await Promise.all(Array.from({ length: 20 }, write));
  }
  // Its session is still there, and so is all that it has not read.
  await waitFor('the stream to be given up', async () => (await streamsCut()) > before);
  expect((await session.request('DELETE')).status).toBe(200);
  socket.destroy();
});

it('ends an idle session', async () => {
  const hasty = await Gateway.start({ env: { SVC_MCP_SESSION_IDLE_S: '1' } });
  try {
    const url = `${hasty.baseUrl}/mcp/?stateful`;
    await new McpCaller(url, { authorization: `Bearer ${hasty.agentKey}` }).open();
    await waitFor('its end', async () => (await hasty.metric('svc_mcp_sessions_ended_total')) === 1);
    expect(await hasty.metric('svc_mcp_sessions')).toBe(0);
  } finally {
    await hasty.stop();
  }
});

it('leaves every request to the SDK when the fast path is off, with the same answer', async () => {
  const slow = await Gateway.start({ env: { SVC_MCP_FAST_PATH: 'off' } });
  const answersBy = async (one: Gateway, by: string): Promise<number> => {
    const { body } = await one.api(null).get('/metrics');
    return Number(new RegExp(`^svc_mcp_answers_total\\{by="${by}"\\} (\\d+)$`, 'm').exec(`${body}`)?.[1]);
  };
  try {
    const url = `${slow.baseUrl}/mcp/`;
    const bySdk = await new McpCaller(url, { authorization: `Bearer ${slow.agentKey}` }).call(
      'svc_call_list',
    );
    expect(await answersBy(slow, 'fast_path')).toBe(0);
    expect(await answersBy(slow, 'sdk')).toBe(1);
    const before = await answersBy(gateway, 'fast_path');
    expect(await caller().call('svc_call_list')).toEqual(bySdk);
    expect(await answersBy(gateway, 'fast_path')).toBe(before + 1);
  } finally {
    await slow.stop();
  }
});

it('stops cleanly with open sessions', async () => {
  const session = await caller('/mcp/?stateful').open();
  const listener = await session.listen();
  const waiting = session.post(inboxCall(6));
  await waiters(1);
  expect(await within('the end', gateway.stop())).toBe(0);
  await waitFor('the end of the stream', () => listener.isOver);
  expect((await waiting).text).toContain('"structuredContent":{"conversations":[]');
});
