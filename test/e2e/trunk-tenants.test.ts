import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';

const NUMBER = '+33123456789';
/** What the operator opens to all accounts: the provider. */
const PROVIDER = '127.0.0.2';
/** From where the provider calls the operator's account. */
const BOUND = '127.0.0.3';

let gateway: Gateway;
let victim: Person;
let thief: Person;

beforeAll(async () => {
  gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_SIP_TRUNK_ALLOW: PROVIDER,
      SVC_SIP_TRUNK_BINDINGS: `operator=${BOUND}`,
      SVC_SIP_NUMBERS_PER_ACCOUNT: '5',
    },
  });
  victim = await memberOf(gateway, 'victim@example.com');
  thief = await memberOf(gateway, 'thief@example.com');
});
afterAll(() => gateway?.stop());

async function peerAt(host: string): Promise<ScriptedPeer> {
  const peer = await ScriptedPeer.start(host);
  onTestFinished(() => peer.stop());
  peer.facing(gateway.sipPort);
  return peer;
}

/** Connects a trunk; resolves with its inbound URI once that is known. */
async function connect(person: Person, host: string, port: number): Promise<string> {
  const trunk = { host, port, username: 'user', password: 'p', register: false };
  expect((await person.request('PUT', '/api/sip/trunk', trunk)).status).toBe(200);
  const shown = () => person.request('GET', '/api/sip/trunk');
  return await waitFor('the inbound URI', async (): Promise<string> => (await shown()).body.inbound_uri);
}

const callsOf = async (person: Person) => (await person.request('GET', '/api/calls')).body.calls;

it('an account cannot take calls by naming the provider and number of another', async () => {
  const provider = await peerAt(PROVIDER);
  await connect(thief, PROVIDER, provider.port);
  const uri = await connect(victim, PROVIDER, provider.port);
  gateway.secrets.add(/^sip:([0-9a-f]{32})@/.exec(uri)![1]!);
  for (const person of [thief, victim]) {
    expect((await person.request('POST', '/api/sip/dids', { number: NUMBER })).status).toBe(200);
  }
  for (const [index, user] of [NUMBER, '0033123456789', '0123456789', 'user'].entries()) {
    provider.send('INVITE', `sip:${user}@127.0.0.1:${gateway.sipPort}`, {
      callId: `unproven-${index}`,
      cseq: 1,
      body: sdp(),
    });
    await provider.response(404, 'INVITE');
  }
  expect([await callsOf(thief), await callsOf(victim)]).toEqual([[], []]);

  provider.send('INVITE', uri, { callId: 'proven', cseq: 1, body: sdp(), to: `sip:0123456789@${PROVIDER}` });
  await provider.response(180, 'INVITE');
  expect([await callsOf(thief), (await callsOf(victim)).length]).toEqual([[], 1]);
});

it('two accounts have extension 1001, each on its own trunk, and either is deleted alone', async () => {
  const exchange = await peerAt(PROVIDER);
  const people = [await memberOf(gateway, 'one@example.com'), await memberOf(gateway, 'two@example.com')];
  const uris: string[] = [];
  const dids: string[] = [];
  for (const person of people) {
    const uri = await connect(person, PROVIDER, exchange.port);
    gateway.secrets.add(/^sip:([0-9a-f]{32})@/.exec(uri)![1]!);
    uris.push(uri);
    const listed = await person.request('POST', '/api/sip/dids', { number: '1001', auto_answer: true });
    expect([listed.status, listed.body.number]).toEqual([200, '1001']);
    dids.push(listed.body.did_id);
    const again = await person.request('POST', '/api/sip/dids', { number: '1001' });
    expect([again.status, again.body.detail]).toEqual([409, 'Phone number is already listed']);
  }
  const dial = (callId: string, uri: string) =>
    exchange.send('INVITE', uri, { callId, cseq: 1, body: sdp(), to: `sip:1001@${PROVIDER}` });
  dial('guessed', `sip:1001@127.0.0.1:${gateway.sipPort}`);
  await exchange.response(404, 'INVITE');
  dial('second', uris[1]!);
  const { headers } = await exchange.response(200, 'INVITE');
  expect(headers['call-id']).toBe('second');
  const [first, second] = [await callsOf(people[0]!), await callsOf(people[1]!)];
  expect([first, second.length, second[0].direction]).toEqual([[], 1, 'inbound']);

  expect((await people[0]!.request('DELETE', `/api/sip/dids/${dids[0]}`)).status).toBe(200);
  dial('deleted', uris[0]!);
  await waitFor(
    'the refusal',
    () => exchange.statuses('INVITE').filter((status) => status === 404).length === 2,
  );
  const kept = await people[1]!.request('GET', '/api/export');
  expect(JSON.stringify(kept.body)).toContain('"number":"1001"');
});

it('limits the numbers of an account to the setting', async () => {
  const answers = [];
  for (let n = 0; n < 6; n++) {
    answers.push(await thief.request('POST', '/api/sip/dids', { number: `+4930123456${n}` }));
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 409, 409]);
  expect(answers.at(-1)?.body).toEqual({
    detail: 'An account may list at most 5 phone numbers',
    code: 'too_many_numbers',
  });
});

it('accepts calls from an address that the operator has bound', async () => {
  const provider = await peerAt(BOUND);
  await gateway.putTrunk({ host: '127.0.0.1', port: 9 });
  await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER });
  provider.send('INVITE', `sip:0123456789@127.0.0.1:${gateway.sipPort}`, {
    callId: 'b',
    cseq: 1,
    body: sdp(),
  });
  await provider.response(180, 'INVITE');
  expect((await gateway.agentApi.get('/api/calls')).body.calls).toHaveLength(1);
});

it.each([
  '127.0.0.1',
  '169.254.169.254',
  '10.0.0.1',
  '::1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '0x7f.1',
  '2130706433',
  '017700000001',
])('refuses a trunk at %s at once', async (host) => {
  const { status, body } = await thief.request('PUT', '/api/sip/trunk', {
    host,
    username: 'u',
    password: 'p',
  });
  expect([status, body.code, body.detail]).toEqual([400, 'server_blocked', expect.stringContaining(host)]);
});

it.each([
  // The error does not depend on which names this machine resolves.
  ['localhost', 'unreachable'],
  ['no-such-host.invalid', 'unreachable'],
])('does not connect an account’s trunk to %s, and reports %s', async (host, lastError) => {
  const connections: unknown[] = [];
  const inner = createServer((socket) => connections.push(socket));
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void inner.close());
  const { port } = inner.address() as { port: number };
  const trunk = { host, port, transport: 'tcp', username: 'u', password: 'p' };
  const put = await thief.request('PUT', '/api/sip/trunk', trunk);
  expect(put.status).toBe(200);
  const registration = async () => (await thief.request('GET', '/api/sip/trunk')).body.registration;
  await waitFor('the failure', async () => (await registration()).state === 'failed');
  expect(await registration()).toEqual({ state: 'failed', last_error: lastError, expires_at: null });
  expect(connections).toEqual([]);
});
