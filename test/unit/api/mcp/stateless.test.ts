import { describe, expect, test } from 'vitest';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { eventually } from '../served.ts';
import { mcpWorld, TRANSCRIPT } from './mcp-world.ts';

const CALL = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait' } };
const MODERN_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };

function listen(uri: string) {
  return {
    jsonrpc: '2.0',
    id: 'sub',
    method: 'subscriptions/listen',
    params: {
      notifications: { resourceSubscriptions: [uri] },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
}

/** What a modern client receives on a stream of its own, as it arrives. */
async function listening(url: string, key: string, uri = TRANSCRIPT) {
  const aborter = new AbortController();
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...MODERN_HEADERS,
    },
    body: JSON.stringify(listen(uri)),
    signal: aborter.signal,
  });
  const state = { text: '', isOver: false, close: () => aborter.abort() };
  const read = async () => {
    for await (const piece of response.body!) state.text += Buffer.from(piece).toString();
    state.isOver = true;
  };
  read().catch(() => {});
  await waitFor('the acknowledgement', () => state.text.includes('subscriptions/acknowledged'));
  return state;
}

describe.each([
  ['on', true],
  ['off', false],
])('with the fast path %s', (_setting, fastPath) => {
  test('a call knows its caller', async () => {
    const { url, principal } = await mcpWorld({ fastPath });
    const { result } = await new McpCaller(`${url}/mcp`).call('whoami');
    expect(result.structuredContent).toMatchObject({
      accountId: principal.accountId,
      credentialId: 'key_1',
      isStateful: false,
    });
    const other = new McpCaller(`${url}/mcp`, { authorization: 'Bearer svc_other' });
    expect((await other.call('whoami')).result.structuredContent.accountId).toBe('acc_b');
  });

  test('a rejected client learns where to authorize', async () => {
    const { url } = await mcpWorld({ fastPath });
    const answer = await new McpCaller(`${url}/mcp/`, { authorization: 'Bearer svc_wrong' }).post(CALL);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="https://voice.example.com/.well-known/oauth-protected-resource/mcp/", error="invalid_token", error_description="The token is unknown, expired or revoked"',
    );
  });

  test('a body that is nested too deeply reaches no handler, with or without the SDK', async () => {
    const { url, counts } = await mcpWorld({ fastPath });
    for (const path of ['/mcp', '/mcp?stateful']) {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer svc_agent', 'content-type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(32)}${']'.repeat(32)}}`,
      });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        {
          jsonrpc: '2.0',
          error: { code: -32_700, message: 'JSON may be nested at most 32 levels deep' },
          id: null,
        },
      ]);
    }
    expect([counts.fast, counts.sdk]).toEqual([0, 0]);
  });

  test('only the arguments of a tool may be long, with or without the SDK', async () => {
    const { url, counts } = await mcpWorld({ fastPath });
    const long = 'x'.repeat(70_000);
    const post = async (path: string, method: string, params: object) => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer svc_agent',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return [answer.status, (await answer.text()).slice(0, 120)];
    };
    const refusal = [
      413,
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Only the arguments of a tool may be longer than 65536 bytes"},"id":nu',
    ];
    for (const path of ['/mcp', '/mcp?stateful']) {
      expect(await post(path, 'tools/call', { name: long, arguments: {} })).toEqual(refusal);
      expect(await post(path, 'resources/read', { uri: long })).toEqual(refusal);
      expect(await post(path, 'initialize', { clientInfo: { name: long } })).toEqual(refusal);
    }
    expect([counts.fast, counts.sdk]).toEqual([0, 0]);
    expect((await post('/mcp', 'tools/call', { name: 'whoami', arguments: { long } }))[0]).toBe(200);
  });

  test('a key may have 500 streams, and a closed one makes room for the next', async () => {
    const { url, counts } = await mcpWorld({ fastPath });
    const open = await Promise.all(Array.from({ length: 500 }, () => listening(url, 'svc_agent')));
    const refused = await new McpCaller(`${url}/mcp`).post(listen(TRANSCRIPT), MODERN_HEADERS);
    expect([refused.status, refused.text]).toEqual([
      429,
      '{"detail":"At most 500 MCP streams may be open per key","code":"too_many_streams"}',
    ]);
    expect(counts.streamsRefused).toBe(1);
    await listening(url, 'svc_other');
    open[0]!.close();
    await waitFor('its place', async () => await listening(url, 'svc_agent').catch(() => false));
  });

  test('streams in sessions count towards the limit, too', async () => {
    const { url, counts } = await mcpWorld({ fastPath });
    const open = await Promise.all(Array.from({ length: 499 }, () => listening(url, 'svc_agent')));
    const session = await new McpCaller(`${url}/mcp?stateful`).open();
    const stream = await session.listen();
    await expect(session.listen()).rejects.toThrow();
    expect(counts.streamsRefused).toBe(1);
    stream.close();
    await waitFor('its place', async () => await session.listen().catch(() => false));
    for (const one of open) one.close();
  });

  test('a call ends when its client disconnects', async () => {
    const { url, tools } = await mcpWorld({ fastPath });
    const aborter = new AbortController();
    const asking = new McpCaller(`${url}/mcp`).post(CALL, {}, aborter.signal).catch(() => null);
    await eventually(() => tools.waiting.length === 1);
    aborter.abort();
    await eventually(() => tools.waiting.length === 0);
    expect(await asking).toBeNull();
  });

  test('a cancelled call ends at once, without an answer', async () => {
    const { url, tools } = await mcpWorld({ fastPath });
    const caller = new McpCaller(`${url}/mcp`);
    const asking = caller.post(CALL);
    await eventually(() => tools.waiting.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
    expect((await caller.with({ authorization: 'Bearer svc_other' }).post(cancel)).status).toBe(202);
    expect((await caller.post({ ...cancel, params: { requestId: '9' } })).status).toBe(202);
    expect(tools.waiting).toHaveLength(1);
    expect((await caller.post(cancel)).status).toBe(202);
    await eventually(() => tools.waiting.length === 0);
    const { status, headers, text } = await asking;
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/event-stream', '']);
  });

  test('a call that the SDK handles is cancelled without an answer, too', async () => {
    const { url, tools } = await mcpWorld({ fastPath });
    const caller = new McpCaller(`${url}/mcp`);
    const unusual = { ...CALL, params: { ...CALL.params, unusual: true } };
    const asking = caller.post(unusual);
    await eventually(() => tools.waiting.length === 1);
    await caller.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
    const { status, text } = await asking;
    expect([status, text]).toEqual([200, '']);
  });

  test('cancelling an id that two calls share cancels neither', async () => {
    const { url, tools } = await mcpWorld({ fastPath });
    const caller = new McpCaller(`${url}/mcp`);
    const asking = [caller.post(CALL), caller.post(CALL)];
    await eventually(() => tools.waiting.length === 2);
    await caller.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
    await caller.call('whoami');
    expect(tools.waiting).toHaveLength(2);
    for (const { finish } of [...tools.waiting]) finish();
    for (const answer of await Promise.all(asking)) expect(answer.text).toContain('"aborted":false');
  });

  test('GET and DELETE return 405 without a session', async () => {
    const { url } = await mcpWorld({ fastPath });
    const caller = new McpCaller(`${url}/mcp`);
    expect((await caller.request('GET', { accept: 'text/event-stream' })).status).toBe(405);
    expect((await caller.request('DELETE')).status).toBe(405);
    expect((await caller.request('PUT')).status).toBe(405);
  });

  test('a modern client gets the changes it subscribed to, and none of others', async () => {
    const { url, transcripts } = await mcpWorld({ fastPath });
    const own = await listening(url, 'svc_agent');
    const other = await listening(url, 'svc_other');
    const elsewhere = await listening(url, 'svc_agent', 'svc://calls/call_2/transcript');
    transcripts.change();
    await waitFor('the change', () => own.text.includes('notifications/resources/updated'));
    await new Promise((resolve) => setImmediate(resolve));
    for (const { text } of [other, elsewhere]) expect(text).not.toContain('updated');
    for (const one of [own, other, elsewhere]) one.close();
    await eventually(() => transcripts.watchers === 0);
  });

  test('a modern client loses its stream when its key is revoked', async () => {
    const { url, endpoint, transcripts } = await mcpWorld({ fastPath });
    const own = await listening(url, 'svc_agent');
    endpoint.follow('key_2', []);
    expect(own.isOver).toBe(false);
    endpoint.follow('key_1', []);
    await eventually(() => own.isOver);
    expect(transcripts.watchers).toBe(0);
  });
});

test('a call whose answer has begun is cancelled without an answer', async () => {
  const { url, tools, world } = await mcpWorld({ fastPath: true });
  const caller = new McpCaller(`${url}/mcp`);
  const asking = caller.post(CALL);
  await eventually(() => tools.waiting.length === 1);
  world.clock.advance(15_000);
  await caller.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
  expect((await asking).text).toBe(': keepalive\n\n');
});

// The SDK's own keepalives follow the real clock.
test('a long call sends keepalives', async () => {
  const { url, tools, world } = await mcpWorld({ fastPath: true });
  const asking = new McpCaller(`${url}/mcp`).post(CALL);
  await eventually(() => tools.waiting.length === 1);
  world.clock.advance(15_000);
  world.clock.advance(15_000);
  tools.waiting[0]!.finish();
  const { status, headers, text } = await asking;
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(text).toMatch(/^(: keepalive\n\n){2}event: message\ndata: \{"result":.*"id":9\}\n\n$/);
});
