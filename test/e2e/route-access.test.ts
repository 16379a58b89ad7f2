import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Access } from '../../src/api/http/routing/route.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import { type Description, isAsked } from '../support/openapi-fuzz.ts';
import type { Person } from '../support/person.ts';
import { ROUTE_TABLE } from '../support/route-table.ts';

/** The kind of a credential; `unknown`: one that the gateway does not accept. */
type Kind = 'session' | 'agent' | 'settings' | 'oauth' | 'unknown';

interface Credential {
  readonly name: string;
  readonly kind: Kind;
  readonly headers: Readonly<Record<string, string>>;
}

/** Specification, "Authentication", rules 1, 5 and 6: again by hand, so that a mistake in the gateway's own shows. */
const LET_IN: Readonly<Record<Access, readonly Kind[]>> = {
  public: ['session', 'agent', 'settings', 'oauth', 'unknown'],
  runtime: ['session', 'agent', 'oauth'],
  mcp: ['agent', 'oauth'],
  config: ['session', 'settings'],
  account: ['session', 'agent', 'settings', 'oauth'],
  session: ['session'],
};

/** WebSocket routes, which the description does not list, and their answer to an accepted credential. */
const SOCKETS: Readonly<Record<string, string>> = {
  '/api/call/{call_id}/stream': 'in 404',
  '/api/inbox/stream': 'in 101',
  '/api/agents/{agent_id}/talk': 'in 404',
};

/** The MCP endpoint, which describes itself to accepted clients. */
const MCP_TABLE: Readonly<Record<string, Access>> = {
  'POST /mcp': 'mcp',
  'GET /mcp/': 'mcp',
  'DELETE /mcp/': 'mcp',
};

const NO_CREDENTIAL = 'Invalid or missing API key';
const WRONG_KIND = 'This endpoint takes ';

/** A bot of Teams, whose endpoints exist only with it. */
const TEAMS_BOT = {
  SVC_TEAMS_APP_ID: '11111111-2222-4333-8444-555555555555',
  SVC_TEAMS_APP_SECRET: 'a-secret-of-nobody',
  SVC_TEAMS_TENANT_ID: 'botframework.com',
} as const;

let gateway: Gateway;
let credentials: Credential[];

const key = (text: string) => ({ 'X-API-Key': text });

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', ...TEAMS_BOT } });
  const person = await memberOf(gateway, 'one@example.com');
  const other = await memberOf(gateway, 'other@example.com');
  const signedOut = await memberOf(gateway, 'gone@example.com');
  const signedOutCookie = signedOut.cookie!;
  await signedOut.request('POST', '/auth/logout');
  credentials = [
    { name: 'session', kind: 'session', headers: { Cookie: person.cookie! } },
    { name: 'agent key', kind: 'agent', headers: key((await mint(person, 'api')).text) },
    { name: 'settings key', kind: 'settings', headers: key((await mint(person, 'settings')).text) },
    { name: 'none', kind: 'unknown', headers: {} },
    { name: 'MCP client', kind: 'oauth', headers: await bearer(person) },
    { name: 'revoked client', kind: 'unknown', headers: await bearer(person, true) },
    { name: 'revoked agent', kind: 'unknown', headers: await revoked(person, 'api') },
    { name: 'revoked settings', kind: 'unknown', headers: await revoked(person, 'settings') },
    { name: 'signed out', kind: 'unknown', headers: { Cookie: signedOutCookie } },
    { name: "other's session", kind: 'session', headers: { Cookie: other.cookie! } },
    { name: "other's agent", kind: 'agent', headers: key((await mint(other, 'api')).text) },
    { name: "other's settings", kind: 'settings', headers: key((await mint(other, 'settings')).text) },
    // No route accepts it yet.
    { name: 'bridge key', kind: 'unknown', headers: key('brg_0123456789abcdef0123456789abcdef') },
  ];
});
afterAll(() => gateway?.stop());

interface Minted {
  readonly id: string;
  readonly text: string;
}

async function mint(person: Person, kind: 'api' | 'settings'): Promise<Minted> {
  const { status, body } = await person.request('POST', `/api/${kind}-keys`, { name: 'made for a test' });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  const text = Object.values<unknown>(body).find(
    (value) => `${value}`.startsWith('svc_') && `${value}`.length > 30,
  );
  return { id: body.id, text: `${text}` };
}

/** An access token that a person granted to a client, and may have revoked. */
async function bearer(person: Person, isRevoked = false): Promise<Credential['headers']> {
  const client = await OAuthClient.register(gateway);
  const { access } = await client.connect(person);
  if (isRevoked) await person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
  return { Authorization: `Bearer ${access}` };
}

async function revoked(person: Person, kind: 'api' | 'settings'): Promise<Credential['headers']> {
  const { id, text } = await mint(person, kind);
  expect((await person.request('DELETE', `/api/${kind}-keys/${id}`)).status).toBeLessThan(300);
  return key(text);
}

async function described(): Promise<Description> {
  return (await gateway.api(null).get('/openapi.json')).body;
}

function routesOf({ paths }: Description): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      isAsked(method, operation) ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
}

/** Requests missing objects with an unreadable body: an accepted credential gets that error, and nothing happens. */
async function knock(route: string, { headers }: Credential, hasBody: boolean): Promise<string> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`${gateway.baseUrl}${path.replaceAll(/\{\w+\}/g, 'none')}`, {
    method,
    headers,
    redirect: 'manual',
    ...(hasBody ? { body: '[' } : {}),
  });
  const text = await answer.text();
  if (answer.status === 401 && text.includes(NO_CREDENTIAL)) return '401';
  if (answer.status === 403 && text.includes(WRONG_KIND)) return '403';
  if (answer.status === 403 && text.includes('"cross_site"')) return 'cross_site';
  return `in ${answer.status}`;
}

/** The same for a WebSocket, by header or by query. */
async function knockForSocket(path: string, { headers }: Credential): Promise<string> {
  const url = new URL(path.replace('{call_id}', 'none'), gateway.baseUrl.replace('http', 'ws'));
  const apiKey = headers['X-API-Key'];
  if (apiKey !== undefined) url.searchParams.set('api_key', apiKey);
  const socket = new WebSocket(url, apiKey === undefined ? { headers } : {});
  const status = await new Promise<number>((resolve, reject) => {
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.once('open', () => {
      resolve(101);
      socket.terminate();
    });
    socket.once('error', reject);
  });
  return status === 401 || status === 403 ? `${status}` : `in ${status}`;
}

function expected(access: Access, kind: Kind): string {
  if (LET_IN[access].includes(kind)) return 'in';
  return kind === 'unknown' ? '401' : '403';
}

it('the table has one row for every route, and no others', async () => {
  expect(routesOf(await described()).sort()).toEqual(Object.keys(ROUTE_TABLE).sort());
});

it('every credential is accepted exactly where it belongs', async () => {
  const { paths } = await described();
  const rows: string[][] = [['route', 'for', ...credentials.map(({ name }) => name)]];
  const wrong: string[] = [];
  for (const path of Object.keys(SOCKETS)) rows.push(await socketRow(path, wrong));
  for (const [route, access] of Object.entries({ ...MCP_TABLE, ...ROUTE_TABLE })) {
    const [method = '', path = ''] = route.split(' ');
    const hasBody = paths[path]?.[method.toLowerCase()]?.requestBody !== undefined;
    const row = [route, access];
    for (const credential of credentials) {
      const heard = await knock(route, credential, hasBody);
      const wanted = expected(access, credential.kind);
      const isRight = heard.split(' ')[0] === wanted && !/ 5\d\d/.test(heard);
      if (!isRight) wrong.push(`${route} with ${credential.name}: ${heard}, not ${wanted}`);
      row.push(isRight ? heard : `!${heard}`);
    }
    rows.push(row);
  }
  console.log(asTable(rows));
  expect(wrong).toEqual([]);
});

it('no page of another site can use a session, on any route that may change something', async () => {
  const [session] = credentials;
  const foreign = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ];
  const wrong: string[] = [];
  const routes = Object.entries(ROUTE_TABLE).filter(([route]) => !route.startsWith('GET '));
  for (const [route, access] of routes.filter(([, each]) => LET_IN[each].includes('session')))
    for (const headers of foreign) {
      const heard = await knock(route, { ...session!, headers: { ...session!.headers, ...headers } }, true);
      // Public routes do not look at the session.
      const isRight = access === 'public' ? !/ 5\d\d/.test(heard) : heard === 'cross_site';
      if (!isRight) wrong.push(`${route} with ${JSON.stringify(headers)}: ${heard}`);
    }
  expect(wrong).toEqual([]);
  expect(routes.length).toBeGreaterThan(80);
  expect(await knock('GET /api/account', session!, false)).toBe('in 200');
});

/** A WebSocket's line of the table; what is wrong in it is added to `wrong`. */
async function socketRow(path: string, wrong: string[]): Promise<string[]> {
  const row = [`WS ${path}`, 'runtime'];
  for (const credential of credentials) {
    const heard = await knockForSocket(path, credential);
    const wanted = expected('runtime', credential.kind);
    if (heard !== (wanted === 'in' ? SOCKETS[path] : wanted))
      wrong.push(`${row[0]} with ${credential.name}: ${heard}, not ${wanted}`);
    row.push(heard);
  }
  return row;
}

function asTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join(' │ ')).join('\n');
}
