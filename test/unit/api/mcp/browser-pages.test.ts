import { expect, test } from 'vitest';
import { mcpPages } from '../../../../src/api/mcp/browser-pages.ts';
import { McpCaller } from '../../../support/mcp-caller.ts';
import { RawClient } from '../served.ts';
import { mcpWorld } from './mcp-world.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

test.each([
  'https://claude.ai.evil.example',
  'http://claude.ai',
  'https://claude.ai:444',
  'https://evil.example',
  'http://127.0.0.1:8080',
  'null',
  'x',
])('a page of %s is refused, even with a key', async (origin) => {
  const { url } = await mcpWorld();
  for (const authorization of ['Bearer svc_agent', 'Bearer svc_wrong']) {
    const { status, text, headers } = await new McpCaller(`${url}/mcp`, { authorization, origin }).post(PING);
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { detail: 'Invalid Origin header', code: 'invalid_origin' },
    ]);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
  const preflight = await fetch(`${url}/mcp`, { method: 'OPTIONS', headers: { origin } });
  expect(preflight.status).toBe(403);
});

test.each(['https://claude.ai', 'https://voice.example.com'])(
  'a page of %s may send requests, and may read refusals too',
  async (origin) => {
    const { url } = await mcpWorld();
    const caller = new McpCaller(`${url}/mcp/`, { origin, 'sec-fetch-site': 'cross-site' });
    for (const [headers, status] of [
      [{}, 200],
      [{ authorization: 'Bearer svc_wrong' }, 401],
      [{ accept: 'text/html' }, 406],
    ] as const) {
      const answer = await caller.post(PING, headers);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, origin]);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
      expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
    }
  },
);

test('a page may send a preflight without a key', async () => {
  const { url } = await mcpWorld();
  const { status, headers } = await fetch(`${url}/mcp/?stateful`, {
    method: 'OPTIONS',
    headers: { origin: 'https://claude.ai', 'access-control-request-method': 'POST' },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, 'https://claude.ai']);
  expect(headers.get('access-control-allow-methods')).toBe('POST, GET, DELETE');
  for (const name of [
    'Authorization',
    'Content-Type',
    'Mcp-Session-Id',
    'MCP-Protocol-Version',
    'Last-Event-ID',
  ])
    expect(headers.get('access-control-allow-headers')).toContain(name);
  expect(
    (await fetch(`${url}/mcp`, { method: 'OPTIONS' })).headers.get('access-control-allow-origin'),
  ).toBeNull();
});

/** Status of a ping that names another host. */
async function pingAt(port: number, host: string): Promise<number> {
  const body = JSON.stringify(PING);
  const client = new RawClient(port).write(
    [
      'POST /mcp HTTP/1.1',
      `Host: ${host}`,
      'Authorization: Bearer svc_agent',
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  const received = await client.until((raw) => raw.received.includes('\r\n\r\n'));
  client.socket.destroy();
  return Number(received.split(' ')[1]);
}

test('a gateway on loopback accepts only its own host names', async () => {
  const { port } = await mcpWorld();
  const own = [
    '127.0.0.1',
    `127.0.0.1:${port}`,
    'localhost:1',
    '[::1]:8080',
    'LOCALHOST',
    'voice.example.com',
  ];
  for (const host of own) expect([host, await pingAt(port, host)]).toEqual([host, 200]);
  const bent = [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
  ];
  for (const host of bent) expect([host, await pingAt(port, host)]).toEqual([host, 403]);
});

test('a gateway on a network accepts any host name', () => {
  const publicUrl = () => 'http://203.0.113.7:8080';
  const { check } = mcpPages({ allowedOrigins: [], host: '0.0.0.0', publicUrl });
  expect(() => check({ origin: '', host: 'gateway.lan:8080' })).not.toThrow();
  expect(() => check({ origin: 'http://203.0.113.7:8080', host: '203.0.113.7:8080' })).not.toThrow();
  expect(() => check({ origin: 'http://gateway.lan:8080', host: 'gateway.lan:8080' })).toThrow(
    'Invalid Origin header',
  );
});

test('on loopback all names of the machine are the same origin, at the same port', () => {
  for (const own of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']) {
    const { check } = mcpPages({ allowedOrigins: [], host: '127.0.0.1', publicUrl: () => own });
    const from = (origin: string) => () => check({ origin, host: 'localhost:8080' });
    for (const origin of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])
      expect(from(origin)).not.toThrow();
    for (const origin of [
      'https://localhost:8080',
      'http://localhost:8081',
      'http://localhost',
      'http://localhost.evil.example:8080',
      'http://evil.localhost:8080',
      'http://127.0.0.2:8080',
      'http://127.1:8080',
      'http://localhost:8080/',
      'HTTP://localhost:8080',
      'http://evil@localhost:8080',
      'null',
    ])
      expect(from(origin), origin).toThrow('Invalid Origin header');
  }
});

test('a gateway with a public name does not accept the names of the machine as origins', () => {
  const publicUrl = () => 'https://voice.example.com';
  const { check } = mcpPages({ allowedOrigins: [], host: '127.0.0.1', publicUrl });
  for (const origin of ['https://localhost', 'http://localhost', 'http://127.0.0.1:8080'])
    expect(() => check({ origin, host: 'localhost' })).toThrow('Invalid Origin header');
});

test('a wrong token and a missing token get different challenges (RFC 6750)', async () => {
  const { url } = await mcpWorld();
  const challenged = async (path: string, headers: Record<string, string>) => {
    const { status, headers: told } = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' });
    return [status, told.get('www-authenticate')];
  };
  const metadata = 'https://voice.example.com/.well-known/oauth-protected-resource';
  expect(await challenged('/mcp/', {})).toEqual([401, `Bearer resource_metadata="${metadata}/mcp/"`]);
  const why = 'error="invalid_token", error_description="The token is unknown, expired or revoked"';
  const wrong = { authorization: 'Bearer mcp_wrong' };
  expect(await challenged('/mcp', wrong)).toEqual([
    401,
    `Bearer resource_metadata="${metadata}/mcp", ${why}`,
  ]);
  expect(await challenged('/sdk', wrong)).toEqual([401, `Bearer ${why}`]);
  expect(await challenged('/sdk', {})).toEqual([401, 'Bearer']);
});
