import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import type { GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';

/** What the operator opens to all accounts: the provider. */
const PROVIDER = '127.0.0.2';
/** Calls for which the box has ports. */
const ROOM = 12;

let gateway: Gateway;
let flooded: Line;
let quiet: Line;

/** An account with a number at the provider. */
interface Line {
  readonly person: Person;
  readonly api: GatewayApi;
  readonly provider: ScriptedPeer;
  readonly uri: string;
}

beforeAll(async () => {
  gateway = await Gateway.start({
    rtpPortCount: 2 * ROOM,
    env: { SVC_SIGNUP: 'open', SVC_SIP_TRUNK_ALLOW: PROVIDER },
  });
  [flooded, quiet] = [await lineOf('flooded@example.com'), await lineOf('quiet@example.com')];
});
afterAll(async () => {
  await gateway?.stop();
  for (const line of [flooded, quiet]) line?.provider.stop();
});

async function lineOf(email: string): Promise<Line> {
  const [person, provider] = [await memberOf(gateway, email), await ScriptedPeer.start(PROVIDER)];
  provider.facing(gateway.sipPort);
  const trunk = { host: PROVIDER, port: provider.port, username: 'user', password: 'p', register: false };
  await person.request('PUT', '/api/sip/trunk', trunk);
  await person.request('POST', '/api/sip/dids', { number: '1001' });
  const shown = () => person.request('GET', '/api/sip/trunk');
  const uri = await waitFor('the URI', async (): Promise<string> => (await shown()).body.inbound_uri);
  gateway.secrets.add(/^sip:([0-9a-f]{32})@/.exec(uri)![1]!);
  const { body } = await person.request('POST', '/api/api-keys', { name: 'agent' });
  const key = /svc_[\w-]{40,}/.exec(JSON.stringify(body))![0];
  gateway.secrets.add(key);
  return { person, api: gateway.api(key), provider, uri };
}

/** So many people call a line at once. Resolves with the final answers and those that ring. */
async function ring({ provider, uri }: Line, calls: number, name: string): Promise<number[]> {
  const before = provider.statuses('INVITE').length;
  for (let n = 0; n < calls; n++)
    provider.send('INVITE', uri, {
      callId: `${name}-${n}`,
      cseq: 1,
      body: sdp(),
      to: `sip:1001@${PROVIDER}`,
    });
  const answers = () =>
    provider
      .statuses('INVITE')
      .slice(before)
      .filter((status) => status > 100);
  await waitFor(`${calls} answers`, () => answers().length >= calls);
  return answers().sort();
}

const dial = ({ api, provider }: Line) =>
  api.post('/api/call', { platform: 'sip', meeting_url: `sip:+4930123@${PROVIDER}:${provider.port}` });

it('a flood of calls to one account leaves room for another, and for its own', async () => {
  const answers = await ring(flooded, 2 * ROOM, 'flood');
  expect(answers).toEqual([...Array(ROOM / 2).fill(180), ...Array((3 * ROOM) / 2).fill(503)]);
  const refused = flooded.provider.received.find(({ message }) => message.status === 503)!;
  expect(refused.text).toMatch(/^Retry-After: 5\r$/m);
  expect(await ring(quiet, 1, 'quiet')).toEqual([180]);
  expect((await dial(flooded)).status).toBe(200);
  expect(await gateway.metric('svc_shared_refused_total{resource="calls"}')).toBe((3 * ROOM) / 2);
  flooded.provider.answer(await flooded.provider.request('INVITE'), 486);
  // Everything comes back.
  for (const { person } of [flooded, quiet]) {
    const { calls } = (await person.request('GET', '/api/calls')).body;
    for (const { call_id: id } of calls) await person.request('DELETE', `/api/call/${id}`);
  }
  await waitFor(
    'the room to be free',
    async () => (await gateway.metric('svc_shared_in_use{resource="calls"}')) === 0,
  );
});

it('an account that places calls without end gets 503 and when to come again, and another has its own', async () => {
  const answers = [];
  for (let n = 0; n < ROOM; n++) answers.push(await dial(quiet));
  const other = await dial(flooded);
  for (const { provider } of [...Array<Line>(ROOM / 2).fill(quiet), flooded])
    provider.answer(await provider.request('INVITE'), 486);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBe(ROOM / 2);
  for (const { status, body, headers } of refused) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body).toEqual({ detail: 'The gateway is full; try again later', code: 'overloaded' });
  }
  expect(other.status).toBe(200);
});
