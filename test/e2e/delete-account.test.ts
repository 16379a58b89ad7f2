import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnyJson } from '../support/any-json.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { mailedLinks } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const PERSON = { email: 'goner@example.com', password: 'correct horse battery staple' };

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start({ caller: { env: { SVC_SIGNUP: 'open' } } });
});
afterAll(() => pair?.stop());

/** Signs a person up and in; returns a function for their requests. */
async function signedIn() {
  const { baseUrl } = pair.caller;
  const ask = async (method: string, path: string, body?: unknown, cookie = '') => {
    const headers = { 'Content-Type': 'application/json', cookie };
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: text });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer };
  };
  expect((await ask('POST', '/auth/signup', PERSON)).status).toBe(200);
  const login = await ask('POST', '/auth/login', PERSON);
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
  const [link] = await mailedLinks(pair.caller, PERSON.email);
  expect((await fetch(link!, { headers: { cookie, accept: 'application/json' } })).status).toBe(200);
  return (method: string, path: string, body?: unknown) => ask(method, path, body, cookie);
}

type Answer = AnyJson;

it('deleting an account ends its calls and removes all its data', async () => {
  const ask = await signedIn();
  const trunk = {
    host: '127.0.0.1',
    port: pair.callee.sipPort,
    username: 'goner',
    password: 'p',
    register: false,
  };
  expect((await ask('PUT', '/api/sip/trunk', trunk)).status).toBe(200);
  const number = await pair.listNumber(true);
  const call = await ask('POST', '/api/call', { platform: 'sip', meeting_url: pair.uriOf(number) });
  const { call_id: callId } = call.body;
  const stateOf = async () => (await ask('GET', `/api/call/${callId}`)).body.state;
  await waitFor('the call to be active', async () => (await stateOf()) === 'active');
  const { account_id: accountId } = (await ask('GET', '/api/account')).body;

  const confirm = 'DELETE';
  expect((await ask('DELETE', '/api/account', { confirm, password: 'wrong' })).status).toBe(400);
  expect((await ask('DELETE', '/api/account', { password: PERSON.password })).status).toBe(422);
  expect(await stateOf()).toBe('active');

  const gone = await ask('DELETE', '/api/account', { confirm, password: PERSON.password });
  expect([gone.status, gone.body]).toEqual([200, { status: 'deleted' }]);
  expect(gone.headers.getSetCookie()[0]).toMatch(/^svc_session=;/);
  expect((await ask('GET', '/api/account')).status).toBe(401);
  await waitFor('the callee to see the end', async () => (await inboundCalls()).length === 0);
  const { dataFolder, agentApi } = pair.caller;
  const tables = readGatewayRows<{ name: string }>(
    dataFolder,
    "select name from sqlite_master where type = 'table'",
  );
  for (const { name } of tables) {
    const rows = JSON.stringify(readGatewayRows(dataFolder, `select * from "${name}"`));
    for (const trace of [accountId, callId, PERSON.email])
      expect(rows.includes(trace), `${name} ${trace}`).toBe(false);
  }
  expect((await agentApi.get('/api/account')).status).toBe(200);
  expect(pair.caller.output).not.toContain('a write to the database failed');
});

async function inboundCalls(): Promise<unknown[]> {
  return (await pair.callee.agentApi.get('/api/calls')).body.calls;
}
