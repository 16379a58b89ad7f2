import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { systemClock } from '../../../../src/base/time.ts';
import type { LegObserver } from '../../../../src/connectors/contract/call-leg.ts';
import type { CallLogin, Connector, DialRequest } from '../../../../src/connectors/contract/connector.ts';
import { zoomConnector } from '../../../../src/connectors/zoom/zoom-connector.ts';
import { FakeZoomApi } from '../../../fakes/zoom/fake-zoom-api.ts';
import { DialledSip } from '../../../support/dialled-sip.ts';

const NUMBERS = [
  { number: '+1 8005550142', country: 'US', type: 'tollfree' },
  { number: '+44 2071234567', country: 'GB', type: 'toll' },
  { number: '+1 6465550142', country: 'US', type: 'toll' },
] as const;
const LIMIT = { code: 429, message: 'You have reached the maximum daily rate limit for this API.' };
const CONNECTION: CallLogin = { kind: 'connection', id: 'con_1' };

let zoom: FakeZoomApi;
let sip: DialledSip;
let connector: Connector;

beforeEach(async () => {
  zoom = await FakeZoomApi.start();
  zoom.userOf = () => 'ada';
  zoom.numbers = NUMBERS;
  sip = new DialledSip();
  sip.direct = 'zoomcrc.com';
  connect(null);
});
afterEach(() => zoom.stop());

function connect(dialIn: string | null): void {
  connector = zoomConnector(
    { urls: { login: '', api: zoom.url }, app: null, dialIn, webhookSecret: null },
    { clock: systemClock, readingTime: new ReadingTime(systemClock), sip, log: () => undefined },
  );
  connector.provides.oauth!.onConnections!({
    accessToken: async () => 'token',
    refused: async () => 'token',
    report: () => undefined,
  });
}

function place(target: string, { login = CONNECTION, dtmf = '' } = {}) {
  const request: DialRequest = {
    callId: 'call_1',
    accountId: 'acc_1',
    agentId: 'agt_1',
    login,
    target,
    dtmf,
    agentName: 'Ada’s agent',
  };
  const [ended, created] = [vi.fn(), vi.fn()];
  connector.provides.calls!.prepare(request);
  const media = { open: () => Promise.reject(new Error('no media')) };
  connector.provides.calls!.dial(request, media, { ended, created } as unknown as LegObserver);
  return { ended, created };
}

async function dialled(): Promise<readonly [target: string, dtmf: string]> {
  await vi.waitUntil(() => sip.calls.length > 0);
  const { target, dtmf } = sip.calls[0]!;
  return [target, dtmf];
}

const linkTo = ({ id }: { id: string }) => `https://us05web.zoom.us/j/${id}?pwd=hash.1`;

it('a meeting of the connected user is called at its toll number, with id and passcode', async () => {
  const meeting = zoom.add('ada', { passcode: '123456' });
  place(linkTo(meeting));
  expect(await dialled()).toEqual(['tel:+16465550142', `,,${meeting.id}#,,,,*123456#`]);
  expect(sip.calls[0]).toMatchObject({ sampleRateHz: 16_000, outcomes: expect.any(Map) });
});

it('Zoom is asked again at the time that it names, and for the number though it tells no address', async () => {
  const meeting = zoom.add('ada');
  zoom.scopes.delete('meeting:write:sip_dialing');
  zoom.faults.push({ status: 429, body: LIMIT, retryAfter: 'Fri, 27 Nov 2026 08:00:00 GMT' });
  place(linkTo(meeting));
  expect(await dialled()).toEqual(['tel:+16465550142', `,,${meeting.id}#`]);
});

it('without a passcode only the id is entered', async () => {
  const meeting = zoom.add('ada');
  place(linkTo(meeting));
  expect(await dialled()).toEqual(['tel:+16465550142', `,,${meeting.id}#`]);
});

it('a user with a plan joins as a room system, also meetings of others', async () => {
  zoom.crcPlans.add('ada');
  const [own, other] = [zoom.add('ada', { passcode: '123456' }), zoom.add('eve')];
  place(linkTo(own));
  expect(await dialled()).toEqual([`sip:${own.id}.123456...7654321@zoomcrc.com`, '']);
  place(linkTo(other));
  await vi.waitUntil(() => sip.calls.length === 2);
  expect(sip.calls[1]?.target).toBe(`sip:${other.id}....7654321@zoomcrc.com`);
});

it('without a trunk the address for room systems is tried, because the host may have a plan', async () => {
  sip.hasTrunk = false;
  const meeting = zoom.add('ada', { passcode: '123456' });
  place(linkTo(meeting));
  expect(await dialled()).toEqual([`sip:${meeting.id}.123456@zoomcrc.com`, '']);
});

it('without a link a meeting of the user is made, and told', async () => {
  const { created } = place('');
  const { id } = await vi.waitUntil(() => zoom.meetings[0]);
  expect(await dialled()).toEqual(['tel:+16465550142', `,,${id}#,,,,*123456#`]);
  expect(created).toHaveBeenCalledExactlyOnceWith(`https://us05web.zoom.us/j/${id}?pwd=hash.1`);
});

it('a link without a passcode to a meeting of another host is dialled as without a connected user', async () => {
  const { id } = zoom.add('eve');
  place(`https://zoom.us/j/${id}`);
  expect(await dialled()).toEqual([`sip:${id}@zoomcrc.com`, '']);
});

it.each([
  [
    'of another host',
    () => linkTo(zoom.add('eve', { passcode: '1' })),
    /does not host this meeting, and the passcode in this link is encoded.*; send 8\d+\.PASSCODE@zoomcrc\.com/,
  ],
  [
    'that Zoom does not tell of',
    () => {
      zoom.userOf = () => null;
      return linkTo(zoom.add('ada'));
    },
    /^Invalid access token\.$/,
  ],
  [
    'that the app may not ask for',
    () => {
      zoom.scopes.delete('meeting:read:meeting');
      return linkTo(zoom.add('ada'));
    },
    /^Invalid access token, does not contain scopes:\[meeting:read:meeting\]\.$/,
  ],
  [
    'that nobody may ask for until tomorrow',
    () => {
      zoom.faults.push({ status: 429, body: LIMIT, retryAfter: '2999-11-29T00:00:00Z' });
      return linkTo(zoom.add('ada'));
    },
    /^You have reached the maximum daily rate limit/,
  ],
])('a meeting %s ends the call with what is missing', async (_, target, reason) => {
  const { ended } = place(target());
  await vi.waitUntil(() => ended.mock.calls.length > 0);
  expect(ended).toHaveBeenCalledExactlyOnceWith('lost', {
    result: 'failed',
    reason: expect.stringMatching(reason),
  });
});

it('numbers, addresses and links with keys are dialled as they are, connected or not', () => {
  const trunk: CallLogin = { kind: 'trunk' };
  place('+16465588656,,81234567890#');
  place('81234567890.123456@zoomcrc.com', { login: trunk });
  place('https://zoom.us/j/81234567890?pwd=x', { dtmf: '123456#' });
  expect(sip.calls.map(({ target, dtmf }) => [target, dtmf])).toEqual([
    ['+16465588656,,81234567890#', ''],
    ['sip:81234567890.123456@zoomcrc.com', ''],
    ['sip:81234567890@zoomcrc.com', '123456#'],
  ]);
  expect(zoom.requests).toEqual([]);
});

describe("with the operator's dial-in number", () => {
  const DIAL_IN = '+16465588656';
  beforeEach(() => connect(DIAL_IN));

  it.each([
    ['https://zoom.us/j/81234567890', `${DIAL_IN},,81234567890#`],
    ['812 3456 7890', `${DIAL_IN},,81234567890#`],
    ['81234567890.123456', `${DIAL_IN},,81234567890#,,,,*123456#`],
    ['81234567890.123456@zoomcrc.com', 'sip:81234567890.123456@zoomcrc.com'],
    ['+442071234567,,81234567890#', '+442071234567,,81234567890#'],
  ])('%s is dialled as %s', (target, dialled) => {
    place(target, { login: { kind: 'trunk' } });
    expect(sip.calls[0]).toMatchObject({ target: dialled, dtmf: '' });
  });

  it('a link whose passcode nobody knows needs it all the same', () => {
    const login: CallLogin = { kind: 'trunk' };
    const refused = expect.objectContaining({ code: 'invalid_meeting_url' });
    expect(() => place('https://zoom.us/j/81234567890?pwd=x', { login })).toThrow(refused);
  });

  it('an account without a trunk joins as a room system', () => {
    sip.hasTrunk = false;
    place('81234567890.123456', { login: { kind: 'trunk' } });
    expect(sip.calls[0]?.target).toBe('sip:81234567890.123456@zoomcrc.com');
  });

  it('it stands in for numbers that Zoom does not tell the connected user', async () => {
    const own = zoom.add('ada', { passcode: '123456', numbers: [] });
    const other = zoom.add('eve');
    place(linkTo(own));
    expect(await dialled()).toEqual([`tel:${DIAL_IN}`, `,,${own.id}#,,,,*123456#`]);
    place(`https://zoom.us/j/${other.id}`);
    await vi.waitUntil(() => sip.calls.length === 2);
    expect(sip.calls[1]).toMatchObject({ target: `tel:${DIAL_IN}`, dtmf: `,,${other.id}#` });
  });

  it("a meeting's own number, and a plan of the user, come first", async () => {
    const own = zoom.add('ada');
    place(linkTo(own));
    expect(await dialled()).toEqual(['tel:+16465550142', `,,${own.id}#`]);
    zoom.crcPlans.add('ada');
    place(linkTo(own));
    await vi.waitUntil(() => sip.calls.length === 2);
    expect(sip.calls[1]?.target).toBe(`sip:${own.id}....7654321@zoomcrc.com`);
  });
});

it('an address at another host that may be called needs neither trunk nor connection', () => {
  sip.hasTrunk = false;
  sip.direct = 'rooms.example';
  place('81234567890.123456@rooms.example', { login: { kind: 'trunk' } });
  expect(sip.calls[0]?.target).toBe('sip:81234567890.123456@rooms.example');
});

it('a number without a trunk is told that it needs one, and nothing that it is missing', () => {
  sip.hasTrunk = false;
  sip.direct = 'nowhere.example';
  const login: CallLogin = { kind: 'trunk' };
  const code = (name: string) => expect.objectContaining({ code: name });
  expect(() => place('+16465588656,,81234567890#', { login })).toThrow(code('no_sip_trunk'));
  expect(() => place('', { login })).toThrow(code('meeting_url_required'));
});

it('neither trunk nor the host of room systems: the answer names both', () => {
  sip.hasTrunk = false;
  sip.direct = 'nowhere.example';
  expect(() => place('https://zoom.us/j/81234567890')).toThrow(
    expect.objectContaining({
      code: 'no_sip_trunk',
      message: expect.stringMatching(/trunk.*or zoomcrc\.com/),
    }),
  );
});
