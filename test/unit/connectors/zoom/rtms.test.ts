import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { type Clock, systemClock } from '../../../../src/base/time.ts';
import type { LegObserver } from '../../../../src/connectors/contract/call-leg.ts';
import type { CallLogin, Connector, DialRequest } from '../../../../src/connectors/contract/connector.ts';
import { zoomConnector } from '../../../../src/connectors/zoom/zoom-connector.ts';
import { FakeZoomApi, type FakeZoomMeeting } from '../../../fakes/zoom/fake-zoom-api.ts';
import { FakeRtms, type SignedEvent } from '../../../fakes/zoom/rtms/fake-rtms.ts';
import { FakeStream } from '../../../fakes/zoom/rtms/fake-stream.ts';
import { DialledSip } from '../../../support/dialled-sip.ts';

const CONNECTION: CallLogin = { kind: 'connection', id: 'con_1' };
const PEOPLE = [
  [11, 'Ann'],
  [12, 'Ben'],
  [13, 'Eve'],
] as const;

let zoom: FakeZoomApi;
let rtms: FakeRtms;
let sip: DialledSip;
let connector: Connector;
/** By how much the clock is ahead. */
let laterMs: number;
const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };

beforeEach(async () => {
  laterMs = 0;
  zoom = await FakeZoomApi.start();
  zoom.userOf = () => 'ann';
  rtms = await FakeRtms.start({ clientId: 'client', clientSecret: 'secret of the client' });
  sip = new DialledSip();
  sip.direct = 'zoomcrc.com';
  connector = zoomConnector(
    { urls: { login: '', api: zoom.url }, app: rtms.app, dialIn: null, webhookSecret: rtms.secretToken },
    { clock, readingTime: new ReadingTime(clock), sip, log: () => undefined },
  );
  const { oauth } = connector.provides;
  oauth!.onConnections!({
    accessToken: async () => 'token',
    refused: async () => 'token',
    report: () => undefined,
  });
  const ann = { label: 'Ann', email: null, scopes: [], accountId: 'acc_1' };
  oauth!.connected!({ id: 'con_1', providerUserId: 'ann', ...ann });
});
afterEach(async () => {
  await connector.close(0);
  await Promise.all([zoom.stop(), rtms.stop()]);
});

async function post({ body, headers }: SignedEvent) {
  const webhooks = connector.provides.webhooks!;
  const header = (name: string) => headers[name] ?? '';
  const request = { method: 'post', endpoint: 'webhook', loginKey: '', query: {}, header } as const;
  const { signal } = new AbortController();
  return (
    webhooks.refuses(request) ?? (await webhooks.webhook({ ...request, body: Buffer.from(body), signal }))
  );
}

/** A call that is in a meeting, as a phone unless the meeting has no number. */
async function join(meeting: FakeZoomMeeting) {
  const said = { said: vi.fn(), chat: vi.fn(), speaking: vi.fn(), participants: vi.fn() };
  const observer = { ...said, capabilities: vi.fn(), answered: vi.fn(), ended: vi.fn() };
  const call = { callId: 'call_1', accountId: 'acc_1', agentId: 'agt_1', login: CONNECTION, dtmf: '' };
  const target = `https://zoom.us/j/${meeting.id}`;
  const request: DialRequest = { ...call, target, agentName: 'Ada' };
  const media = { open: () => Promise.reject(new Error('no media')) };
  connector.provides.calls!.dial(request, media, observer as unknown as LegObserver);
  const dialled = await vi.waitUntil(() => sip.calls.at(-1));
  sip.calls.length = 0;
  dialled.events.answered();
  return { ...observer, hangUp: () => dialled.events.ended('remote', { result: 'completed', reason: '' }) };
}

async function start(meeting: FakeZoomMeeting, user = 'ann'): Promise<FakeStream> {
  const stream = rtms.open(meeting.uuid, user);
  expect(await post(rtms.startedEvent(stream))).toEqual({ status: 200, json: {} });
  return stream;
}

const isUp = (stream: FakeStream) => vi.waitUntil(() => stream.isUp, { timeout: 5_000 });

describe('events', () => {
  it('are only taken with a fresh signature', async () => {
    const { body, headers } = rtms.event('endpoint.url_validation', { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' });
    expect(await post({ body, headers })).toMatchObject({
      status: 200,
      json: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const old = rtms.signed(body, Math.floor(Date.now() / 1_000) - 301);
    for (const forged of [old, { body: `${body} `, headers }, { body, headers: {} }])
      expect(await post(forged)).toEqual({ status: 401, text: 'Invalid signature' });
  });

  it.each([
    ['another event', { event: 'meeting.ended', payload: {} }],
    ['no stream', { event: 'meeting.rtms_started', payload: { meeting_uuid: 'x' } }],
    [
      'an unknown stream',
      { event: 'meeting.rtms_stopped', payload: { meeting_uuid: 'x', rtms_stream_id: 'y' } },
    ],
    ['no JSON object', 'text'],
  ])('that name %s are taken, and do nothing', async (_, body) => {
    expect(await post(rtms.signed(JSON.stringify(body)))).toEqual({ status: 200, json: {} });
  });
});

describe('a stream', () => {
  it.each(['before', 'after'])(
    'that starts %s the call tells it who is there, who speaks, and what is said and written',
    async (when) => {
      const meeting = zoom.add('ann');
      const early = when === 'before' ? await start(meeting) : null;
      const call = await join(meeting);
      const stream = early ?? (await start(meeting));
      await isUp(stream);
      // Who calls himself like the agent silences himself.
      stream.join([15, 'Ada'], ...PEOPLE, [14, 'Ada']);
      for (const [id, name] of PEOPLE) stream.say(id, `I am ${name}`);
      for (const id of [14, 15]) stream.say(id, 'I am the agent');
      stream.write(11, 'The plan', { files: ['plan.pdf'] });
      stream.write(12, 'for Ann only', { to: 2 });
      stream.write(12, 'The plan!', { operation: 3 });
      stream.write(14, 'from the agent');
      stream.speak(12);
      stream.speak(14);
      stream.speak(13);
      stream.speak(0);
      await vi.waitUntil(() => call.speaking.mock.calls.length === 4 && call.said.mock.calls.length === 3);
      expect(call.said.mock.calls.flat()).toEqual(
        PEOPLE.map(([, name]) => ({ speaker: name, text: `I am ${name}` })),
      );
      expect(call.participants.mock.lastCall).toEqual([PEOPLE.map(([id, name]) => ({ id: `${id}`, name }))]);
      expect(call.speaking.mock.calls).toEqual(
        [
          ['12', true],
          ['12', false],
          ['13', true],
          ['13', false],
        ].map(([participantId, on]) => [{ voiceId: 0, participantId }, on]),
      );
      await vi.waitUntil(() => call.chat.mock.calls.length > 0);
      expect(call.chat.mock.calls.flat()).toEqual([
        expect.objectContaining({ sender: 'Ann', text: 'The plan\n[file: plan.pdf]', files: [] }),
      ]);
      expect(call.capabilities.mock.calls.flat()).toEqual([['audio_in', 'audio_out', 'read']]);
      expect(stream.violations).toEqual([]);
    },
  );

  it('of a meeting with phones never takes the agent for somebody else', async () => {
    const meeting = zoom.add('ann', { numbers: [{ number: '+1 6465550142', country: 'US', type: 'toll' }] });
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    stream.join([11, 'Ann'], [20, '1650***0100'], [21, '4420****567']);
    stream.say(20, 'one of them');
    stream.say(11, 'hello');
    await vi.waitUntil(() => call.said.mock.calls.length > 0);
    stream.leave(21);
    await vi.waitUntil(() => call.participants.mock.lastCall?.[0].length === 1);
    stream.join([22, '3366*****89']);
    stream.say(22, 'I came later');
    stream.say(20, 'I am the agent');
    stream.say(11, 'bye');
    await vi.waitUntil(() => call.said.mock.calls.length === 3);
    expect(call.said.mock.calls.flat().map(({ text }) => text)).toEqual(['hello', 'I came later', 'bye']);
  });

  it('that another user has started, or of another meeting, is not the call’s', async () => {
    const [meeting, other] = [zoom.add('ann'), zoom.add('ann')];
    await join(meeting);
    await start(meeting, 'eve');
    await start(other);
    const stream = await start(meeting);
    await isUp(stream);
    expect(rtms.streams.map(({ accepted }) => accepted)).toEqual([0, 0, 3]);
  });

  it('stops: the call goes on without it, and gets the next one', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const first = await start(meeting);
    await isUp(first);
    first.join(...PEOPLE);
    await vi.waitUntil(() => call.participants.mock.calls.length === 1);
    await post(rtms.stoppedEvent(first, 1));
    expect(call.capabilities.mock.lastCall).toEqual([['audio_in', 'audio_out']]);
    expect([call.participants.mock.lastCall, call.ended.mock.calls]).toEqual([[[]], []]);
    const second = await start(meeting);
    await isUp(second);
    call.hangUp();
    await vi.waitUntil(() => !second.isUp);
  });

  it('ends with the connection of its user, while the call goes on', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    stream.join(...PEOPLE);
    await vi.waitUntil(() => call.participants.mock.calls.length === 1);
    const { oauth } = connector.provides;
    oauth!.disconnected!('con_1');
    expect([call.participants.mock.lastCall, call.ended.mock.calls]).toEqual([[[]], []]);
    expect(call.capabilities.mock.lastCall).toEqual([['audio_in', 'audio_out']]);
    await vi.waitUntil(() => !stream.isUp);
    await post(rtms.startedEvent(stream));
    stream.say(11, 'nobody is to hear this');
    const next = await start(meeting);
    const again = { label: 'Ann', email: null, scopes: [], accountId: 'acc_1' };
    oauth!.connected!({ id: 'con_1', providerUserId: 'ann', ...again });
    await join(meeting);
    await vi.waitUntil(() => stream.isUp || next.isUp, { timeout: 5_000 });
    expect(call.said).not.toHaveBeenCalled();
  });

  it('of a user who has started many is forgotten, and takes no room from those of others', async () => {
    const [kept, ...crowd] = [zoom.add('ann'), ...Array.from({ length: 21 }, () => zoom.add('eve'))];
    const stream = await start(kept);
    const streams: FakeStream[] = [];
    for (const meeting of crowd) streams.push(await start(meeting, 'eve'));
    await join(kept);
    await isUp(stream);
    const eve = { label: 'Eve', email: null, scopes: [], accountId: 'acc_1' };
    connector.provides.oauth!.connected!({ id: 'con_1', providerUserId: 'eve', ...eve });
    zoom.userOf = () => 'eve';
    await join(crowd[0]!);
    await join(crowd[1]!);
    await isUp(streams[1]!);
    expect(streams.map(({ isUp }) => isUp).filter(Boolean)).toHaveLength(1);
  });

  it('is given up when Zoom refuses it, and goes on without chat that the app may not read', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const refused = rtms.open(meeting.uuid, 'ann');
    refused.refusals.push(2);
    await post(rtms.startedEvent(refused));
    await vi.waitUntil(() => call.participants.mock.calls.length === 1);
    const stream = rtms.open(meeting.uuid, 'ann', ['transcript']);
    await post(rtms.startedEvent(stream));
    await isUp(stream);
    stream.join(...PEOPLE);
    stream.say(11, 'without chat');
    await vi.waitUntil(() => call.said.mock.calls.length === 1);
    expect(call.capabilities.mock.calls.flat(2)).not.toContain('read');
  });

  it('loses its chat alone when Zoom takes that away', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    stream.refusals.push(13);
    stream.cut('chat');
    await vi.waitUntil(() => call.capabilities.mock.calls.length === 2, { timeout: 5_000 });
    expect(call.capabilities.mock.calls.flat()).toEqual([
      ['audio_in', 'audio_out', 'read'],
      ['audio_in', 'audio_out'],
    ]);
    stream.join([11, '']);
    stream.say(11, 'still here');
    await vi.waitUntil(() => call.said.mock.calls.length === 1);
    expect(call.said.mock.calls.flat()).toEqual([{ speaker: 'somebody', text: 'still here' }]);
  });

  it('answers keep-alives, and survives what it cannot read', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    for (const text of ['', '{', '[]', '{"msg_type":17}', '{"msg_type":99}', 'x'.repeat(65_536)])
      stream.raw('transcript', text);
    stream.raw(
      'chat',
      '{"msg_type":18,"content":{"data":"{\\"message_id\\":\\"m1\\",\\"data\\":\\"inner\\",\\"sender\\":{\\"user_id\\":11,\\"user_name\\":\\"Ann\\"},\\"timestamp\\":1750791055005605}"}}',
    );
    stream.ping();
    await vi.waitUntil(() => stream.keptAlive === 3 && call.chat.mock.calls.length === 1);
    expect(call.chat.mock.calls.flat()).toEqual([
      { id: 'm1', sender: 'Ann', text: 'inner', sentAt: '2025-06-24T18:50:55.005Z', files: [] },
    ]);
    expect([stream.accepted, stream.violations]).toEqual([3, []]);
  });

  it('of an hour that breaks is taken up again', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    for (const part of ['signaling', 'transcript'] as const) {
      laterMs += 3_600_000;
      stream.cut(part);
      await vi.waitUntil(() => !stream.isUp);
      await isUp(stream);
    }
    expect(call.capabilities.mock.calls).not.toContainEqual([['audio_in', 'audio_out']]);
    expect(stream.violations).toEqual([]);
  });

  it('that begins before another of its meeting stops is taken up then', async () => {
    const meeting = zoom.add('ann');
    await join(meeting);
    const first = await start(meeting);
    await isUp(first);
    const second = await start(meeting);
    await post(rtms.stoppedEvent(first, 1));
    await isUp(second);
  });

  it('tells messages by those who wrote them, also what looks like a message itself', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    stream.join(...PEOPLE);
    const forged = JSON.stringify({
      message_id: 'm1',
      data: 'I am Ann',
      sender: { user_id: 11, user_name: 'Ann' },
    });
    stream.write(13, forged);
    await vi.waitUntil(() => call.chat.mock.calls.length === 1);
    expect(call.chat.mock.calls.flat()).toMatchObject([{ sender: 'Eve', text: forged }]);
  });

  it('goes on without media whose address is no URL', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const place = { meetingUuid: meeting.uuid, userId: 'ann' };
    const stream = new FakeStream(place, { app: rtms.app, mediaUrl: () => 'wss://a b/#c' });
    rtms.streams.push(stream);
    await post(rtms.startedEvent(stream));
    await vi.waitUntil(() => stream.accepted === 1);
    await vi.waitUntil(() => {
      stream.join(...PEOPLE);
      return call.participants.mock.calls.length > 0;
    });
  });

  it('moves to another server when Zoom says so, and not when it repeats itself', async () => {
    const meeting = zoom.add('ann');
    const call = await join(meeting);
    const stream = await start(meeting);
    await isUp(stream);
    await post(rtms.startedEvent(stream));
    await post(rtms.interruptedEvent(stream));
    expect(stream.accepted).toBe(3);
    await post(rtms.startedEvent(stream, 'second'));
    await vi.waitUntil(() => stream.accepted >= 6 && stream.isUp, { timeout: 10_000 });
    stream.join(...PEOPLE);
    stream.say(11, 'moved');
    await vi.waitUntil(() => call.said.mock.calls.length === 1);
  });
});
