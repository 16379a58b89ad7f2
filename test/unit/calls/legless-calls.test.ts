import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { acceptCall, refuseCall } from '../../../src/calls/answer-call.ts';
import { callDomain, getCall, listCalls } from '../../../src/calls/call-domain.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import { CallRoom } from '../../../src/calls/call-room.ts';
import { ENABLED_PRESETS } from '../../../src/calls/choose-presets.ts';
import { disconnectAll, hangUpCall } from '../../../src/calls/hang-up-call.ts';
import { placeCall } from '../../../src/calls/place-call.ts';
import { inboundAnswerer } from '../../../src/calls/ring-call.ts';
import type { InboundCall } from '../../../src/connectors/contract/connector.ts';
import { NO_BUDGET } from '../../support/budgets.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NO_SPEECH } from '../../support/no-speech.ts';
import { WITHOUT_PRESETS } from './no-presets.ts';

const SCOPE = { accountId: 'acc_1', agentIds: ['agt_1'], platforms: null };
const REQUEST = {
  platform: 'sip',
  meetingUrl: 'sip:+1',
  dtmf: '',
  agentName: 'AI Agent',
  loginId: null,
  presets: ENABLED_PRESETS,
} as const;
const OFFER = { capabilities: [], sampleRateHz: 8000 } as const;
const LEG = { accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() };

/** A domain with a database and a connector of the test's choice. */
function domainWith(faults: { opened?: () => Promise<void>; dial?: () => never }) {
  const told: string[] = [];
  const room = new CallRoom(new ManualClock(), 2);
  const connector = {
    platform: 'sip',
    provides: {
      calls: { loginKinds: ['trunk'], prepare: () => OFFER, dial: faults.dial ?? (() => LEG) },
    },
  };
  const domain = callDomain({
    registry: new CallRegistry(),
    connectors: new Map([['sip', connector]]),
    speech: NO_SPEECH,
    engine: { place: () => ({ media: {}, close: async () => void told.push('engine closed') }) },
    recorder: {
      assertMayOpen() {},
      opened: faults.opened ?? (async () => {}),
      rang() {},
      happened: (_call: unknown, event: CallEvent) => {
        if (event.type === 'call_state') told.push(event.state);
      },
      settled: async () => {},
    },
    events: { callStarted() {}, callAnswered() {}, callEnded() {} },
    clock: new ManualClock(),
    deadlines: { connectingMs: 1, ringingMs: 1, acceptingMs: 1, activeMs: 1 },
    budget: NO_BUDGET,
    maxCallsPerAccount: 1,
    room,
    presets: WITHOUT_PRESETS,
  } as never);
  return { domain, told, room, connector: connector as never };
}

const inbound = (take: InboundCall['take']): InboundCall => {
  const login = { kind: 'trunk' } as const;
  const call = { ...SCOPE, ...OFFER, agentId: 'agt_1', login, caller: '+2', target: 'sip:+1' };
  return { ...call, autoAnswer: false, take };
};

it('ends a call whose connector throws while dialling, and frees its place', async () => {
  const fault = new Error('no such transport');
  const { domain, told, room } = domainWith({
    dial: () => {
      throw fault;
    },
  });
  await expect(placeCall(domain, SCOPE, REQUEST)).rejects.toBe(fault);
  expect(domain.registry.all()).toEqual([]);
  expect(told).toEqual(['connecting', 'engine closed', 'disconnected']);
  await turn();
  expect(room.share.taken).toBe(0);
});

it('ends a call that cannot be stored, and frees its place', async () => {
  const { domain } = domainWith({ opened: () => Promise.reject(new Error('disk full')) });
  await expect(placeCall(domain, SCOPE, REQUEST)).rejects.toThrow('disk full');
  expect(domain.registry.all()).toEqual([]);
});

it('ends an inbound call that cannot be accepted', () => {
  const { domain, told, connector } = domainWith({});
  const taken = inbound(() => {
    throw new Error('the transaction is over');
  });
  expect(() => inboundAnswerer(domain, connector).ring(taken)).toThrow('the transaction is over');
  expect(domain.registry.all()).toEqual([]);
  expect(told).toEqual(['ringing', 'engine closed', 'missed']);
});

it.each([
  ['hung up', hangUpCall],
  ['refused', refuseCall],
])('returns 404 for an accept whose call is %s meanwhile', async (_what, end) => {
  const { domain, connector } = domainWith({});
  inboundAnswerer(domain, connector).ring(inbound(() => LEG));
  const callId = domain.registry.all()[0]!.identity.callId;
  const [one, two] = [acceptCall(domain, SCOPE, callId), acceptCall(domain, SCOPE, callId)];
  end(domain, SCOPE, callId);
  await expect(one).rejects.toMatchObject({ code: 'call_not_found' });
  await expect(two).rejects.toMatchObject({ code: 'call_not_found' });
});

it('accepts no calls while the gateway closes', async () => {
  const { domain, connector } = domainWith({});
  await disconnectAll(domain, 1_000);
  expect(inboundAnswerer(domain, connector).ring(inbound(() => LEG))).toBe('overloaded');
  await expect(placeCall(domain, SCOPE, REQUEST)).rejects.toMatchObject({ code: 'not_ready' });
  expect(domain.registry.all()).toEqual([]);
});

it('hides calls of a platform that a scope cannot reach, and refuses to change them', async () => {
  const { domain } = domainWith({});
  const { callId } = await placeCall(domain, SCOPE, REQUEST);
  const blind = { ...SCOPE, platforms: new Set(['telegram'] as const) };
  expect(listCalls(domain, blind)).toEqual([]);
  expect(() => getCall(domain, blind, callId)).toThrow('Call not found');
  expect(() => hangUpCall(domain, blind, callId)).toThrow('Call not found');
  expect(() => refuseCall(domain, blind, callId)).toThrow('Call not found');
  await expect(acceptCall(domain, blind, callId)).rejects.toThrow('Call not found');
  await expect(placeCall(domain, blind, REQUEST)).rejects.toThrow(
    'This client has no access to that platform',
  );
  const seeing = { ...SCOPE, platforms: new Set(['telegram', 'sip'] as const) };
  expect(listCalls(domain, seeing)).toHaveLength(1);
  hangUpCall(domain, seeing, callId);
});
