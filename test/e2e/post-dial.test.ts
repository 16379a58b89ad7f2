import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import type { IvrManners } from '../fakes/ivr/ivr-call.ts';
import type { Meeting } from '../fakes/ivr/menu.ts';
import { activeAfterLastKey, type DialIn, dialIn } from '../support/dial-in.ts';
import { endedCall } from '../support/ended-call.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const MEETINGS: readonly Meeting[] = [
  { id: '81234567890', passcode: '123456', lets: 'in' },
  { id: '82222222222', passcode: '', lets: 'to-waiting-room' },
  { id: '83333333333', passcode: '', lets: 'wait-for-host' },
];
const ENTERED = ['81234567890#', '*123456#'];
const REFUSED = { result: 'failed', reason: 'the meeting refused the id or passcode' };

let gateway: Gateway;
let ivr: FakeIvr;
const joins: DialIn[] = [];

beforeAll(async () => {
  ivr = await FakeIvr.start({ meetings: MEETINGS, attempts: 1, promptMs: 400 });
  gateway = await Gateway.start();
  await gateway.putTrunk({ host: '127.0.0.1', port: ivr.port });
});
afterAll(async () => {
  await Promise.all(joins.map(({ agent }) => agent.close()));
  await gateway?.stop();
  ivr?.stop();
  expect(ivr.violations).toEqual([]);
});

async function dial(digits: string, manners: Partial<IvrManners> = {}): Promise<DialIn> {
  const joined = await dialIn(gateway, ivr, digits, manners);
  joins.push(joined);
  return joined;
}

const shown = async ({ call }: DialIn) => (await gateway.agentApi.get(`/api/call/${call.call_id}`)).body;

/** What must hold of whoever got into a meeting: no wrong key, and no word before the menu was done. */
async function expectClean(joined: DialIn): Promise<void> {
  const { caller } = joined;
  await waitFor('the agent to be heard', () => caller.heardMs.later > 200);
  expect({ faults: caller.faults, inMenu: caller.heardMs.inMenu }).toEqual({ faults: [], inMenu: 0 });
}

describe.concurrent('a dial-in number', () => {
  it('is joined by a one-tap string; nobody hears the agent before it is in', async () => {
    const joined = await dial(',81234567890#,*123456#');
    const { agent, caller } = joined;
    const waiting_reason = 'entering the meeting id';
    expect(await shown(joined)).toMatchObject({ state: 'connecting', waiting_reason });
    expect(await activeAfterLastKey(gateway, joined)).toBeGreaterThanOrEqual(1_000);
    expect([caller.menu.place, caller.menu.entries]).toEqual(['meeting', ENTERED]);
    await expectClean(joined);
    expect(agent.events).toContainEqual({ type: 'call_waiting', reason: waiting_reason });
    expect(await shown(joined)).toMatchObject({ state: 'active' });
    expect(await shown(joined)).not.toHaveProperty('waiting_reason');
  });

  it('is joined by tones in the audio, if it takes no telephone-events', async () => {
    const joined = await dial(',81234567890#,*123456#', { digits: 'tones' });
    await joined.agent.waitFor('call_state', { state: 'active' });
    expect([joined.caller.menu.place, joined.caller.menu.entries]).toEqual(['meeting', ENTERED]);
    await expectClean(joined);
  });

  it.each(['events', 'tones'] as const)('is joined over a bad network, by %s', async (digits) => {
    const network = { lossShare: 0.05, jitterMs: 60, seed: 1 };
    const joined = await dial(',81234567890#,*123456#', { digits, network });
    await joined.agent.waitFor('call_state', { state: 'active' });
    expect([joined.caller.menu.place, joined.caller.menu.entries]).toEqual(['meeting', ENTERED]);
    await expectClean(joined);
  });

  it('is joined by waits for the end of each prompt, if it cannot be interrupted', async () => {
    const joined = await dial(';81234567890#;*123456#', { bargeIn: false, promptMs: 1_500 });
    await joined.agent.waitFor('call_state', { state: 'active' });
    expect([joined.caller.menu.place, joined.caller.menu.entries]).toEqual(['meeting', ENTERED]);
    await expectClean(joined);
  });

  it('is not joined by a string that is too fast for it', async () => {
    const joined = await dial('w81234567890#*123456#', {
      bargeIn: false,
      promptMs: 3_000,
      patienceMs: 6_000,
    });
    await joined.agent.waitFor('call_error', { code: 'call_failed' });
    expect(joined.caller.keys.some(({ isIgnored }) => isIgnored)).toBe(true);
    expect((await shown(joined)).termination).toEqual(REFUSED);
  });

  it('is joined by dtmf beside a SIP URI', async () => {
    const number = ivr.addNumber();
    const { call_id } = await gateway.placeCall(`sip:${number}@127.0.0.1`, {
      dtmf: ',81234567890#,*123456#',
    });
    const caller = await ivr.caller(number);
    await gateway.waitForState(call_id, 'active');
    expect([caller.menu.place, caller.menu.entries]).toEqual(['meeting', ENTERED]);
    await gateway.agentApi.delete(`/api/call/${call_id}`);
  });

  it.each([
    ['a wrong passcode', ',81234567890#,*000000#', 'asks-passcode'],
    ['a wrong id', ',80000000000#', 'asks-id'],
  ])('that refuses %s fails the call, which says so', async (_what, digits, place) => {
    const joined = await dial(digits);
    const error = await joined.agent.waitFor('call_error');
    expect(error).toMatchObject({ code: 'call_failed', termination: REFUSED });
    expect(await shown(joined)).toMatchObject({ state: 'disconnected', termination: REFUSED });
    expect(joined.caller.places.map((each) => each.place).slice(-2)).toEqual([place, 'hangs-up']);
    expect(joined.caller.heardMs.inMenu).toBe(0);
  });

  it('may say goodbye for longer than a second: the call was active, and has failed', async () => {
    const joined = await dial(',81234567890#,*000000#', { promptMs: 1_600 });
    await joined.agent.waitFor('call_state', { state: 'active' });
    expect(await joined.agent.waitFor('call_error')).toMatchObject({
      code: 'call_failed',
      message: `The call failed: ${REFUSED.reason}`,
    });
    expect(await shown(joined)).toMatchObject({ state: 'disconnected', termination: REFUSED });
  });

  it.each([
    ['a waiting room', ',82222222222#', 'waiting-room'],
    ['no host yet', ',83333333333#', 'waits-for-host'],
  ] as const)('with %s cannot be told from the meeting', async (_what, digits, place) => {
    const joined = await dial(digits);
    await joined.agent.waitFor('call_state', { state: 'active' });
    expect(joined.caller.menu.place).toBe(place);
    joined.caller.menu.admit();
    expect(joined.caller.menu.place).toBe('meeting');
    await expectClean(joined);
  });

  it('is left in the middle of the keys', async () => {
    const joined = await dial(',81234567890#,*123456#');
    await waitFor('some keys', () => joined.caller.keys.length > 2);
    await gateway.agentApi.delete(`/api/call/${joined.call.call_id}`);
    await waitFor('the end of the call', () => joined.caller.isOver);
    expect(await endedCall(gateway, joined.call.call_id)).toMatchObject({
      state: 'ended',
      result: 'no_answer',
    });
    expect(joined.caller.menu.entries.length).toBeLessThan(2);
  });
});
