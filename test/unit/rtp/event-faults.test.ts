import { describe, expect, it } from 'vitest';
import type { RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { arrived, hear, pair } from './leg-pair.ts';
import { type RtpPeer, type TestLeg, until } from './rtp-peer.ts';

/** One packet of an event: its code, ticks after the first packet, duration, and what is unusual. */
interface Packet {
  readonly event: number;
  readonly at: number;
  readonly duration?: number;
  readonly isEnd?: boolean;
  readonly marker?: boolean;
  readonly type?: number;
}

async function sendEvents(peer: RtpPeer, test: TestLeg, packets: readonly Packet[]): Promise<void> {
  const start = peer.timestamp;
  const due = arrived(test) + packets.length;
  for (const { event, at, duration = 160, isEnd = false, marker = false, type = 101 } of packets) {
    const payload = Buffer.from([event, (isEnd ? 0x80 : 0) | 10, duration >> 8, duration & 0xff]);
    await peer.send(peer.buildRaw(type, payload, (start + at) >>> 0, marker), test.port);
  }
  await until(() => arrived(test) >= due, 'event packets');
}

/** A press as most phones send it, under `type` and with one timestamp. */
function press(event: number, at: number, type = 101, packetTicks = 160): Packet[] {
  return [1, 2, 3, 4, 5, 5, 5].map((step, i) => ({
    event,
    at,
    type,
    duration: step * packetTicks,
    isEnd: i > 3,
    marker: i === 0,
  }));
}

function digits(test: TestLeg): string {
  return test.events.map((event) => (event.type === 'dtmf' ? event.digit : '')).join('');
}

async function digitsOf(packets: readonly Packet[], changes: Partial<RtpConfig> = {}): Promise<string> {
  const { peer, test } = await pair();
  test.configure(peer, changes);
  await sendEvents(peer, test, packets);
  return digits(test);
}

const end = (event: number, at: number, duration = 480): Packet => ({ event, at, duration, isEnd: true });
const start = (event: number, at: number, duration = 160): Packet => ({ event, at, duration });

describe('events of senders that err', () => {
  it.each<[string, string, readonly Packet[]]>([
    [
      'the last end has a later timestamp',
      '8',
      [start(8, 0), start(8, 0, 320), start(8, 0, 480), end(8, 0), end(8, 0), end(8, 320)],
    ],
    [
      'each end has the time at which it was sent',
      '8',
      [start(8, 0), start(8, 0, 320), end(8, 480), end(8, 640), end(8, 800)],
    ],
    ['each packet has the time at which it was sent', '2', [0, 1, 2, 3, 4].map((i) => start(2, i * 160))],
    [
      'so with growing durations, and two presses',
      '22',
      [0, 2_400].flatMap((from) => [
        ...[0, 1, 2, 3].map((i) => start(2, from + i * 160, (i + 1) * 160)),
        ...[4, 5, 6].map((i) => end(2, from + i * 160, 800)),
      ]),
    ],
    ['two presses with one timestamp', '00', [...press(0, 0), ...press(0, 0)]],
    [
      'a timestamp that stands still',
      '1212',
      [...press(1, 0), ...press(2, 0), ...press(1, 0), ...press(2, 0)],
    ],
    ['every packet has the marker', '5', press(5, 0).map((each) => ({ ...each, marker: true }))],
    [
      'durations of zero',
      '66',
      [...press(6, 0), ...press(6, 1_600)].map((each) => ({ ...each, duration: 0 })),
    ],
    ['a timestamp that goes back', '34', [...press(3, 9_000), ...press(4, 100)]],
    ['the first packet lasts no time', '4', [start(4, 0, 0), ...press(4, 0)]],
    [
      'three ends of the last timestamp, five packets of six',
      '2',
      [...[0, 1, 2].map((i) => start(2, i * 160, (i + 1) * 160)), ...[0, 1, 2].map(() => end(2, 320, 640))],
    ],
    [
      'two updates, nothing for a second, and a long end',
      '9',
      [start(9, 0), start(9, 0, 320), end(9, 0, 13_568), end(9, 0, 13_568), end(9, 0, 13_568)],
    ],
    ['only an end arrives', '55', [end(5, 0, 800), ...press(5, 2_400)]],
    ['only the last of three ends arrives', '#0', [end(11, 0, 800), end(0, 1_600, 800)]],
    ['three keys with one timestamp', '*01', [...press(10, 0), ...press(0, 0), ...press(1, 0)]],
    [
      'markers in the middle of a press',
      '7',
      press(7, 0).map((each, i) => ({ ...each, marker: i === 0 || i === 2 })),
    ],
    [
      'a press of twelve seconds in segments',
      '3',
      [
        start(3, 0, 0xffff),
        start(3, 0xffff, 160),
        start(3, 0xffff, 30_000),
        end(3, 0xffff, 30_465),
        end(3, 0xffff, 30_465),
      ],
    ],
    ['no pause between different keys', '123', [...press(1, 0), ...press(2, 800), ...press(3, 1_600)]],
  ])('%s: %s', async (_, expected, packets) => {
    expect(await digitsOf(packets)).toBe(expected);
  });

  it('count once when packets are repeated and overtake each other', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const sent: Buffer[] = [];
    for (const { event, at, duration = 0, isEnd = false, marker = false } of [
      ...press(7, 0),
      ...press(7, 1_600),
    ]) {
      const payload = Buffer.from([event, (isEnd ? 0x80 : 0) | 10, duration >> 8, duration & 0xff]);
      sent.push(peer.buildRaw(101, payload, peer.timestamp + at, marker));
    }
    const order = [0, 1, 1, 3, 2, 5, 4, 6, 0, 7, 6, 8, 7, 10, 9, 11, 13, 12, 12];
    for (const i of order) await peer.send(sent[i]!, test.port);
    await until(() => arrived(test) === order.length, 'all copies');
    expect(digits(test)).toBe('77');
  });
});

describe('events of any number and clock that was spoken of', () => {
  it('are read under our number and under the peer’s', async () => {
    const received = { codecs: [], events: [{ payloadType: 101, clockRateHz: 8_000 }] };
    const both = [...press(9, 0, 101), ...press(9, 1_600, 100)];
    expect(await digitsOf(both, { dtmfPayloadType: 100, received })).toBe('99');
  });

  it.each([
    [101, 160],
    [110, 960],
  ])('are read beside Opus as type %i', async (type, packetTicks) => {
    const events = [
      { payloadType: 110, clockRateHz: 48_000 },
      { payloadType: 101, clockRateHz: 8_000 },
    ];
    const config: Partial<RtpConfig> = {
      codec: 'opus',
      payloadType: 111,
      dtmfPayloadType: 110,
      dtmfClockRateHz: 48_000,
      received: { codecs: [], events },
      opus: { maxBitrateBps: null, inbandFec: true },
    };
    const ticks = packetTicks * 10;
    expect(
      await digitsOf([...press(7, 0, type, packetTicks), ...press(7, ticks, type, packetTicks)], config),
    ).toBe('77');
  });

  it.each([96, 101, 127])('are read as type %i when the descriptions list none', async (type) => {
    const config = { codec: 'PCMA', payloadType: 8, dtmfPayloadType: null } as const;
    expect(await digitsOf([...press(3, 0, type), ...press(3, 1_600, type)], config)).toBe('33');
  });

  it('are not guessed from small packets of audio', async () => {
    const small = Array.from({ length: 50 }, (_, i) => start(i % 16, i * 960, i));
    expect(
      await digitsOf(
        small.map((each) => ({ ...each, type: 97 })),
        { dtmfPayloadType: null },
      ),
    ).toBe('');
  });

  it('count in a stream of their own, and leave no hole in the audio', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await hear(peer, test, 10);
    const voice = peer.ssrc;
    for (let i = 0; i < 12; i++) {
      const { sequence, timestamp } = peer;
      Object.assign(peer, {
        ssrc: voice + 1 + (i % 2),
        sequence: 7_000 + i * 20,
        timestamp: 1_000_000 + i * 2_000,
      });
      await sendEvents(peer, test, press(i, 0));
      Object.assign(peer, { ssrc: voice, sequence, timestamp });
      await hear(peer, test, 5);
    }
    expect(digits(test)).toBe('0123456789*#');
    expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0, late: 0, malformed: 0 });
  });
});
