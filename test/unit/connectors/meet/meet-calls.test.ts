import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LegObserver } from '../../../../src/connectors/contract/call-leg.ts';
import type { Connector, DialRequest } from '../../../../src/connectors/contract/connector.ts';
import { meetConnector } from '../../../../src/connectors/meet/meet-connector.ts';
import { FakeMeet } from '../../../fakes/meet/fake-meet.ts';
import { DialledSip } from '../../../support/dialled-sip.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PHONE = { phoneNumber: '+16505550142', pin: '123456789', regionCode: 'US', languageCode: 'en' };
const FRENCH = { phoneNumber: '+33123456789', pin: '987654321', regionCode: 'FR', languageCode: 'fr' };
const NO_MEDIA = { open: () => Promise.reject(new Error('no media')) };

let meet: FakeMeet;
let clock: ManualClock;
let token: string;
let sip: DialledSip;
let connector: Connector;
const log = vi.fn();

beforeEach(async () => {
  meet = await FakeMeet.start();
  meet.login.visitor = { id: 'ada', name: 'Ada', email: 'ada@example.com' };
  token = await meet.accessToken();
  clock = new ManualClock();
  sip = new DialledSip();
  const options = { loginUrl: meet.login.url, apiUrl: meet.url, client: meet.login };
  log.mockClear();
  connector = meetConnector(options, { clock, sip, log });
  connector.provides.oauth!.onConnections!({
    accessToken: async () => token,
    refused: async () => {
      token = await meet.accessToken();
      return token;
    },
    report: () => undefined,
  });
});
afterEach(() => meet.stop());

const REQUEST: DialRequest = {
  callId: 'call_1',
  accountId: 'acc_1',
  agentId: 'agt_1',
  login: { kind: 'connection', id: 'con_1' },
  target: 'https://meet.google.com/abc-mnop-xyz',
  dtmf: '',
  agentName: 'Ada’s agent',
};

function place(request: Partial<DialRequest> = {}) {
  const told = { ended: vi.fn(), answered: vi.fn(), participants: vi.fn(), created: vi.fn() };
  const observer = { waiting: vi.fn(), ringing: vi.fn(), ...told } as unknown as LegObserver;
  const { calls } = connector.provides;
  calls!.prepare({ ...REQUEST, ...request });
  return { ...told, leg: calls!.dial({ ...REQUEST, ...request }, NO_MEDIA, observer) };
}

describe('a meeting by its link', () => {
  it('that fails for a reason of ours is logged, and one of the platform’s is not', async () => {
    const unknown = place();
    await vi.waitUntil(() => unknown.ended.mock.calls.length > 0);
    expect(log).not.toHaveBeenCalled();
    meet.add('abc-mnop-xyz', { phoneAccess: [PHONE] });
    const err = new Error('a bug');
    sip.dial = () => {
      throw err;
    };
    const broken = place();
    await vi.waitUntil(() => broken.ended.mock.calls.length > 0);
    expect(broken.ended.mock.calls).toMatchObject([['lost', { result: 'failed' }]]);
    expect(log.mock.calls).toEqual([['error', expect.any(String), { err }]]);
  });

  it('is called at its own number, with its PIN, in a room of 48 kHz', async () => {
    meet.add('abc-mnop-xyz', { phoneAccess: [FRENCH, PHONE] });
    place();
    await vi.waitUntil(() => sip.calls.length > 0);
    expect(sip.calls[0]).toMatchObject({
      accountId: 'acc_1',
      target: 'tel:+16505550142',
      dtmf: '123456789#',
      displayName: 'Ada’s agent',
      sampleRateHz: 48_000,
    });
  });

  it('is called at its first number where it has none in the US, and by SIP where that is allowed', async () => {
    const space = meet.add('abc-mnop-xyz', { phoneAccess: [FRENCH] });
    place();
    await vi.waitUntil(() => sip.calls.length === 1);
    space.gatewaySipAccess = [
      { uri: 'sip:1234567890123@elsewhere.example', sipAccessCode: '1' },
      { uri: 'sips:1234567890123@allowed.example', sipAccessCode: '2' },
    ];
    place();
    await vi.waitUntil(() => sip.calls.length === 2);
    expect(sip.calls.map(({ target, dtmf }) => [target, dtmf])).toEqual([
      ['tel:+33123456789', '987654321#'],
      ['sips:1234567890123@allowed.example', ''],
    ]);
  });

  it.each([
    ['does not exist', () => undefined, /no such meeting, or this Google account may not see it/],
    [
      'has no number',
      () => meet.add('abc-mnop-xyz'),
      /no phone number: its organizer needs Google Workspace/,
    ],
    ['is of others', () => meet.add('abc-mnop-xyz', { seenBy: new Set(['eve']) }), /no such meeting/],
    ['cannot be asked for', () => meet.faults.push(500), /The service is currently unavailable/],
  ])('that %s ends the call with what is missing', async (_, arrange, reason) => {
    arrange();
    const { ended } = place();
    await vi.waitUntil(() => ended.mock.calls.length > 0);
    expect(ended).toHaveBeenCalledExactlyOnceWith('lost', {
      result: 'failed',
      reason: expect.stringMatching(reason),
    });
    expect(sip.calls).toEqual([]);
  });

  it('that is refused in a long text ends the call with its beginning', async () => {
    meet.faults.push(500);
    meet.faultWords = 'no '.repeat(100_000);
    const { ended } = place();
    await vi.waitUntil(() => ended.mock.calls.length > 0);
    expect(ended.mock.calls[0]?.[1].reason).toBe('no '.repeat(100));
  });

  it('is asked for again after an expired token, and after a pause', async () => {
    meet.add('abc-mnop-xyz', { phoneAccess: [PHONE] });
    meet.faults.push(401, 503);
    place();
    await vi.waitUntil(() => meet.requests.length === 2);
    await vi.waitUntil(() => {
      clock.advance(1_000);
      return sip.calls.length > 0;
    });
    expect(meet.requests).toEqual(Array(3).fill('GET /v2/spaces/abc-mnop-xyz'));
  });

  it('is not called once the agent has hung up', async () => {
    meet.add('abc-mnop-xyz', { phoneAccess: [PHONE] });
    const { leg, ended } = place();
    leg.hangUp();
    await leg.released;
    expect(ended.mock.calls).toEqual([
      ['local', { result: 'no_answer', reason: 'cancelled before it was answered' }],
    ]);
    expect(sip.calls).toEqual([]);
  });

  it('names who is there but the agent’s phone, every ten seconds', async () => {
    const space = meet.add('abc-mnop-xyz', { phoneAccess: [PHONE] });
    const { participants } = place();
    await vi.waitUntil(() => sip.calls.length > 0);
    space.people = [
      { kind: 'signedinUser', name: 'Ada' },
      { kind: 'phoneUser', name: '+1 650-•••-••42' },
    ];
    sip.calls[0]!.events.answered();
    await vi.waitUntil(() => participants.mock.calls.length === 1);
    space.people = Array.from({ length: 300 }, (_, n) => ({ kind: 'anonymousUser', name: `Guest ${n}` }));
    await vi.waitUntil(() => {
      clock.advance(10_000);
      return participants.mock.calls.length === 2;
    });
    const names = participants.mock.calls.map(([list]) => list.map(({ name }: { name: string }) => name));
    expect(names[0]).toEqual(['Ada']);
    expect(names[1]).toHaveLength(300);
    sip.calls[0]!.events.ended('remote', { result: 'completed', reason: 'over' });
    const asked = meet.requests.length;
    clock.advance(60_000);
    expect(meet.requests).toHaveLength(asked);
  });
});

describe('without a link', () => {
  it('makes a meeting of the connected account', async () => {
    meet.phoneAccess = [PHONE];
    const { created } = place({ target: '' });
    await vi.waitUntil(() => sip.calls.length > 0);
    expect(meet.requests).toEqual(['POST /v2/spaces']);
    expect(created).toHaveBeenCalledExactlyOnceWith(`https://meet.google.com/${meet.spaces[0]!.code}`);
    expect(sip.calls[0]).toMatchObject({ target: 'tel:+16505550142', dtmf: '123456789#' });
  });
});

describe('without a connected account', () => {
  const login = { kind: 'trunk' } as const;

  it('dials the number of an invitation', () => {
    place({ login, target: '+16505550142,,123456789#' });
    expect(sip.calls[0]).toMatchObject({ target: '+16505550142,,123456789#', dtmf: '' });
  });

  it.each([
    [{ login, target: '' }, 'meeting_url_required', /meeting_url/],
    [
      { login },
      'platform_not_connected',
      /needs a connected Google account; without one, give its phone number/,
    ],
    [{ login, target: 'https://zoom.us/j/1' }, 'invalid_meeting_url', /give its link/],
  ])('%j is refused as %s', (request, code, message) => {
    expect(() => place(request)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it('needs a trunk', () => {
    sip.hasTrunk = false;
    expect(() => place()).toThrow(
      expect.objectContaining({ code: 'no_sip_trunk', message: expect.stringMatching(/joined by phone/) }),
    );
  });
});
