import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GatewayPair } from '../support/gateway-pair.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor, within } from '../support/wait-for.ts';

const REVOKED = 1008;

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start({ caller: { env: { SVC_SIGNUP: 'open' } } });
});
afterAll(() => pair?.stop());

/** Places a call for a signed-in person; resolves once it is active. */
async function callOf(person: Person) {
  expect((await person.request('PUT', '/api/sip/trunk', pair.trunk)).status).toBe(200);
  const meetingUrl = pair.uriOf(await pair.listNumber(true));
  const call = await person.request('POST', '/api/call', { platform: 'sip', meeting_url: meetingUrl });
  const stateOf = async () => (await person.request('GET', `/api/call/${call.body.call_id}`)).body.state;
  await waitFor('the call to be active', async () => (await stateOf()) === 'active');
  return { url: call.body.audio.stream_url as string, stateOf };
}

it('signing out closes the person’s call WebSockets; the call continues', async () => {
  const person = await memberOf(pair.caller, 'leaver@example.com');
  const { url, stateOf } = await callOf(person);
  const headers = { Cookie: person.cookie ?? '', Origin: pair.caller.baseUrl };
  const socket = new WebSocket(url, { headers });
  const closed = once(socket, 'close');
  await within('the upgrade', once(socket, 'open'));

  expect((await person.request('POST', '/auth/logout')).status).toBe(200);
  const [code] = await within('the close', closed);
  expect(code).toBe(REVOKED);
  const [refusal] = await within('the refusal', once(new WebSocket(url, { headers }), 'error'));
  expect(String(refusal)).toContain('401');

  expect((await person.signIn()).status).toBe(200);
  expect(await stateOf()).toBe('active');
});
