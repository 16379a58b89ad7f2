import fc from 'fast-check';
import { expect, test } from 'vitest';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { mcpWorld } from './mcp-world.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';
const MODERN = '2026-07-28';

type Headers = Readonly<Record<string, string>>;
/** A request body and its headers. */
type Posted = readonly [body: unknown, headers?: Headers | undefined];

const envelope = {
  [VERSION]: MODERN,
  [CAPABILITIES]: {},
  [INFO]: { name: 'test', version: '1' },
};

function legacy(method: string, params?: unknown, id: unknown = 1): Posted {
  return [{ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }];
}

function modern(method: string, params: object = {}, meta: object = envelope, id: unknown = 1): Posted {
  const name = (params as { name?: string }).name;
  const headers = {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
  return [{ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }, headers];
}

function withHeaders([body, headers]: Posted, more: Headers): Posted {
  return [body, { ...headers, ...more }];
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};
const call = {
  name: 'repeat',
  arguments: { text: 'é "quoted" \u2028 line\nbreak', '7': [1, null, { a: 1.5 }] },
};

/** What clients send, and what they should not send. */
const POSTS: Readonly<Record<string, Posted>> = {
  'a call': legacy('tools/call', call),
  'a call with a string id': legacy('tools/call', call, 'id "7"'),
  'a call without arguments': legacy('tools/call', { name: 'repeat' }),
  'a call with a token': legacy('tools/call', { ...call, _meta: { progressToken: 5, 'a/b': 1 } }),
  'a call that fails': legacy('tools/call', { name: 'refuse', arguments: {} }),
  'a call that reports progress': legacy('tools/call', { name: 'steps', _meta: { progressToken: 't' } }),
  'a call with unrequested progress': legacy('tools/call', { name: 'steps' }),
  'a call in an older version': withHeaders(legacy('tools/call', call), {
    'mcp-protocol-version': '2025-03-26',
  }),
  'a modern call': modern('tools/call', call),
  'a modern call with a token': modern('tools/call', call, { ...envelope, progressToken: 1 }),
  'a modern call that fails': modern('tools/call', { name: 'refuse', arguments: {} }),
  'a modern call that reports progress': modern(
    'tools/call',
    { name: 'steps' },
    { ...envelope, progressToken: 0 },
  ),
  initialize: legacy('initialize', initialize),
  'initialize in a future version': legacy('initialize', { ...initialize, protocolVersion: '2099-01-01' }),
  ping: legacy('ping'),
  'ping with a token': legacy('ping', { _meta: { progressToken: 3 } }),
  'tools/list': legacy('tools/list'),
  'tools/list from a cursor': legacy('tools/list', { cursor: 'x' }),
  'modern tools/list': modern('tools/list'),
  'server/discover': modern('server/discover'),
  'resources/list': legacy('resources/list'),
  'resources/templates/list': legacy('resources/templates/list'),
  'resources/read': legacy('resources/read', { uri: 'svc://calls/call_1/transcript' }),
  'resources/read of an unknown URI': legacy('resources/read', { uri: 'svc://calls/none/transcript' }),

  'no such tool': legacy('tools/call', { name: 'nothing' }),
  'no such tool, modern': modern('tools/call', { name: 'nothing' }),
  'no such method': legacy('tools/destroy'),
  'no such method, modern': modern('tools/destroy'),
  'no name': legacy('tools/call', { arguments: {} }),
  'a number as name': legacy('tools/call', { name: 5 }),
  'a list as arguments': legacy('tools/call', { name: 'repeat', arguments: [] }),
  'null as arguments': legacy('tools/call', { name: 'repeat', arguments: null }),
  'null as params': legacy('tools/call', null),
  'a list as params': legacy('tools/call', []),
  'an object as token': legacy('tools/call', { ...call, _meta: { progressToken: {} } }),
  'a fraction as token': legacy('tools/call', { ...call, _meta: { progressToken: 1.5 } }),
  'a text as meta': legacy('tools/call', { ...call, _meta: 'x' }),
  'a task': legacy('tools/call', { ...call, task: { ttl: 5 } }),
  'a related task': legacy('tools/call', { ...call, _meta: { 'io.modelcontextprotocol/related-task': 5 } }),
  'an answer to input': modern('tools/call', { ...call, requestState: 'x' }),
  'null as id': legacy('tools/call', call, null),
  'a fraction as id': legacy('tools/call', call, 1.5),
  'an object as id': legacy('tools/call', call, {}),
  'no id': [{ jsonrpc: '2.0', method: 'tools/call', params: call }],
  'another JSON-RPC': [{ jsonrpc: '1.0', id: 1, method: 'tools/call', params: call }],
  'no JSON-RPC': [{ id: 1, method: 'tools/call', params: call }],
  'an extra key': [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call, more: 1 }],
  'an answer': [{ jsonrpc: '2.0', id: 1, result: {} }],
  'a notification': [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
  'a cancellation': [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }],
  'a batch': [[legacy('ping')[0], legacy('tools/call', call, 2)[0]]],
  'an empty batch': [[]],
  'a batch with a modern request': [[modern('tools/call', call)[0]]],
  'no JSON': ['{'],
  nothing: [''],
  'a text': ['"tools/call"'],
  'a byte order mark': [`\ufeff${JSON.stringify(legacy('ping')[0])}`],

  'another version': withHeaders(legacy('tools/call', call), { 'mcp-protocol-version': '1999-01-01' }),
  'a modern version without an envelope': withHeaders(legacy('tools/call', call), {
    'mcp-protocol-version': MODERN,
  }),
  'an envelope without the header': [modern('tools/call', call)[0]],
  'an envelope of another version': withHeaders(modern('tools/call', call), {
    'mcp-protocol-version': '2025-11-25',
  }),
  'a future version': withHeaders(modern('tools/call', call, { ...envelope, [VERSION]: '2099-01-01' }), {
    'mcp-protocol-version': '2099-01-01',
  }),
  'an envelope without capabilities': modern('tools/call', call, { [VERSION]: MODERN }),
  'an envelope with wrong capabilities': modern('tools/call', call, {
    ...envelope,
    [CAPABILITIES]: { roots: 5 },
  }),
  'an envelope with a wrong name': modern('tools/call', call, { ...envelope, [INFO]: { name: 5 } }),
  'another method in the header': withHeaders(modern('tools/call', call), { 'mcp-method': 'ping' }),
  'another name in the header': withHeaders(modern('tools/call', call), { 'mcp-name': 'refuse' }),
  'a name in base64': withHeaders(modern('tools/call', call), { 'mcp-name': '=?base64?cmVwZWF0?=' }),
  'a modern ping': modern('ping'),
  'JSON alone accepted': withHeaders(legacy('tools/call', call), { accept: 'application/json' }),
  'anything accepted': withHeaders(legacy('tools/call', call), { accept: '*/*' }),
  'anything accepted, modern': withHeaders(modern('tools/call', call), { accept: '*/*' }),
  'JSON with a charset': withHeaders(legacy('tools/call', call), {
    'content-type': 'application/json; charset=utf-8',
  }),
  'a plain text': withHeaders(legacy('tools/call', call), { 'content-type': 'text/plain' }),
  'JSON-seq': withHeaders(modern('tools/call', call), { 'content-type': 'application/json-seq' }),
};

const SEEN = ['content-type', 'cache-control', 'x-accel-buffering', 'mcp-session-id', 'allow'];

async function bothAnswers(url: string, [body, headers]: Posted) {
  const ask = async (path: string) => {
    // Errors contain the request id.
    const caller = new McpCaller(`${url}${path}`, { 'x-request-id': 'req_1' });
    const { status, headers: answered, text } = await caller.post(body, headers);
    return { status, headers: SEEN.map((name) => [name, answered.get(name)]), text };
  };
  // The second answer may use a cache.
  return { sdk: await ask('/sdk'), first: await ask('/mcp'), second: await ask('/mcp/') };
}

test.each(Object.entries(POSTS))('%s gets the SDK’s answer, byte for byte', async (_what, posted) => {
  const { url } = await mcpWorld();
  const { sdk, first, second } = await bothAnswers(url, posted);
  expect(first).toEqual(sdk);
  expect(second).toEqual(sdk);
});

test('common requests are answered without the SDK, and no others', async () => {
  const { url, counts } = await mcpWorld();
  const caller = new McpCaller(`${url}/mcp`);
  const isFast = async ([body, headers]: Posted) => {
    await caller.post(body, headers);
    const before = counts.fast;
    await caller.post(body, headers);
    return counts.fast - before === 1;
  };
  const fast: string[] = [];
  for (const [what, posted] of Object.entries(POSTS)) if (await isFast(posted)) fast.push(what);
  expect(fast).toEqual([
    'a call',
    'a call with a string id',
    'a call without arguments',
    'a call with a token',
    'a call that fails',
    'a call that reports progress',
    'a call with unrequested progress',
    'a call in an older version',
    'a modern call',
    'a modern call with a token',
    'a modern call that fails',
    'a modern call that reports progress',
    'initialize',
    'initialize in a future version',
    'ping',
    'ping with a token',
    'server/discover',
    'resources/templates/list',
    'JSON alone accepted',
    'anything accepted',
    'anything accepted, modern',
  ]);
});

/** Requests with something changed, left out or added at any place. */
const anyPosted = fc
  .tuple(
    fc.constantFrom(...Object.values(POSTS).filter(([body]) => typeof body === 'object')),
    fc.array(
      fc.tuple(fc.nat(1_000), fc.constantFrom('drop', 'replace', 'add'), fc.jsonValue({ maxDepth: 1 })),
      {
        maxLength: 2,
      },
    ),
  )
  .map(([[body, headers], changes]): Posted => {
    const copy = structuredClone(body);
    for (const [where, how, value] of changes) spoil(copy, where, how, value);
    return [copy, headers];
  });

function spoil(root: unknown, where: number, how: string, value: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  const [node, key] = places[where % places.length] ?? [{}, ''];
  if (how === 'drop') delete node[key];
  else if (how === 'replace') node[key] = value;
  else node[`${key}_`] = value;
}

test('randomly corrupted requests get the SDK’s answer', async () => {
  const { url } = await mcpWorld();
  await fc.assert(
    fc.asyncProperty(anyPosted, async (posted) => {
      const { sdk, first, second } = await bothAnswers(url, posted);
      expect(first).toEqual(sdk);
      expect(second).toEqual(sdk);
    }),
    { numRuns: 400, seed: 6 },
  );
});
