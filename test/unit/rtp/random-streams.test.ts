import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameSamples } from '../../../src/base/frame.ts';
import type { RtpCodec, RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { CODEC_TYPES, CodecSpeaker, toneSource } from './codec-speaker.ts';
import { arrived } from './leg-pair.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

/** `RANDOM_STREAMS=2000` tries more. */
const RUNS = Number(process.env.RANDOM_STREAMS ?? 30);
const VOICE = 1;
/** Packets of one press, 20 ms apart: the last three have its end. */
const PRESS_PACKETS = 8;
const UPDATES = PRESS_PACKETS - 3;
/** The jitter buffer fills, and decoders begin softly. */
const BEGINNING_TICKS = 6;
const KEYS = '0123456789*#ABCD';
/** Of a sine with half of the full amplitude. */
const TONE_POWER = 16_384 ** 2 / 2;

/** What a phone may send in one call, and how clean a tone comes out; null: changes between codecs are jumps of its phase. */
interface Agreement {
  readonly codecs: readonly RtpCodec[];
  readonly roomRateHz: number;
  readonly leastSnrDb: number | null;
  /** Codecs that predict need some frames after a change. */
  readonly changeTicks: number;
}

const AGREEMENTS: readonly Agreement[] = [
  { codecs: ['PCMU', 'PCMA'], roomRateHz: 8_000, leastSnrDb: 30, changeTicks: 1 },
  { codecs: ['PCMU', 'PCMA', 'G722'], roomRateHz: 8_000, leastSnrDb: null, changeTicks: 10 },
  { codecs: ['opus', 'PCMU', 'PCMA'], roomRateHz: 48_000, leastSnrDb: null, changeTicks: 10 },
];

function configOf({ codecs: [first, ...others] }: Agreement): Partial<RtpConfig> {
  const clockRateHz = first === 'opus' ? 48_000 : 8_000;
  return {
    codec: first!,
    payloadType: CODEC_TYPES[first!],
    dtmfPayloadType: 101,
    dtmfClockRateHz: clockRateHz,
    opus: first === 'opus' ? { maxBitrateBps: null, inbandFec: true } : null,
    received: {
      codecs: others.map((codec) => ({ codec, payloadType: CODEC_TYPES[codec] })),
      events: [
        { payloadType: 100, clockRateHz },
        { payloadType: 102, clockRateHz: 8_000 },
      ],
    },
  };
}

/** What is sent beside the voice in one tick, all of it louder than the voice or meaningless. */
const besides = fc.constantFrom(
  'noise',
  'announcement',
  'unknown',
  'broken',
  'report',
  'stranger',
  'nothing',
);

const tick = fc.record({
  codec: fc.nat(2),
  besides: fc.array(besides, { maxLength: 3 }),
  ssrc: fc.constantFrom(2, 3),
  /** In which order the packets of this tick arrive. */
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
});

/** One packet of a press on its way: lost, late by some ticks, or doubled. */
const way = fc.record({
  isLost: fc.boolean(),
  lateTicks: fc.constantFrom(0, 0, 0, 1, 2),
  copyAfterTicks: fc.constantFrom(null, null, 0, 1, 3),
});

const key = fc.record({
  event: fc.nat(15),
  type: fc.constantFrom(100, 101),
  ssrc: fc.constantFrom(VOICE, 20, 21),
  pauseTicks: fc.integer({ min: 3, max: 8 }),
  ways: fc.array(way, { minLength: PRESS_PACKETS, maxLength: PRESS_PACKETS }),
  /** Arrives whatever happens to the others. */
  sure: fc.nat(PRESS_PACKETS - 1),
});

/** Numbers of the packets of a peer's streams; one clock for all. */
class Streams {
  readonly #peer: RtpPeer;
  readonly #sequences = new Map<number, number>();

  constructor(peer: RtpPeer) {
    this.#peer = peer;
  }

  packet(ssrc: number, type: number, payload: Buffer, timestamp: number, marker = false): Buffer {
    const sequence = this.#sequences.get(ssrc) ?? (ssrc * 6_977) & 0xffff;
    this.#sequences.set(ssrc, (sequence + 1) & 0xffff);
    Object.assign(this.#peer, { ssrc, sequence });
    return this.#peer.buildRaw(type, payload, timestamp >>> 0, marker);
  }
}

/** Datagrams by the tick in which they arrive. */
class Arrivals {
  readonly #ticks: Buffer[][] = [];

  add(tickIndex: number, packet: Buffer): void {
    this.#ticks[tickIndex] = [...(this.#ticks[tickIndex] ?? []), packet];
  }

  /** Those of a tick, mixed as `order` says. The voice stays in its own order, since it has one packet a tick. */
  of(tickIndex: number, order: readonly number[]): Buffer[] {
    return (this.#ticks[tickIndex] ?? [])
      .map((packet, i) => ({ packet, rank: order[i % order.length]! }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ packet }) => packet);
  }
}

describe('packets of several streams, codecs and events', () => {
  it('in any order lose no digit, double none, and leave no hole in the voice', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...AGREEMENTS),
      fc.array(tick, { minLength: 30, maxLength: 60 }),
      fc.array(key, { maxLength: 4 }),
      async (agreement, ticks, keys) => {
        const peer = await RtpPeer.start();
        const stranger = await RtpPeer.start();
        const test = await TestLeg.open(undefined, null, agreement.roomRateHz);
        try {
          test.configure(peer, configOf(agreement));
          const streams = new Streams(peer);
          const speaker = new CodecSpeaker(toneSource());
          // A square wave of 1 kHz at the full amplitude.
          const loud = Buffer.alloc(160, Buffer.from('2a2a2a2aaaaaaaaa', 'hex'));
          const ticksPerFrame = agreement.codecs[0] === 'opus' ? 960 : 160;
          const arrivals = new Arrivals();
          const presses = pressesOf(keys, ticksPerFrame, BEGINNING_TICKS);
          let timestamp = 4_294_960_000;
          let pressedAt = 0;
          let sent = 0;
          let strange = 0;
          const heard: number[] = [];
          let frames = 0;
          const total = Math.max(ticks.length, presses.endTick + 4);
          for (let i = 0; i < total; i++) {
            const { besides: also, ssrc, order } = ticks[i % ticks.length]!;
            const { codec: choice } = ticks[(i - (i % agreement.changeTicks)) % ticks.length]!;
            const codec = agreement.codecs[choice % agreement.codecs.length]!;
            const { payload, ticks: length } = speaker.payload(codec);
            arrivals.add(i, streams.packet(VOICE, CODEC_TYPES[codec], payload, timestamp));
            for (const press of presses.due(i)) {
              // A press has the time of its first tick; streams of their own have a clock of their own.
              if (press.marker)
                pressedAt = press.ssrc === VOICE ? timestamp : press.ssrc * 7_919 + i * ticksPerFrame;
              const packet = streams.packet(press.ssrc, press.type, press.payload, pressedAt, press.marker);
              if (press.isLost) continue;
              arrivals.add(i + press.lateTicks, packet);
              if (press.copyAfterTicks !== null)
                arrivals.add(i + press.lateTicks + press.copyAfterTicks, packet);
            }
            timestamp += length;
            for (const each of i > 2 ? also : []) {
              if (each === 'noise') arrivals.add(i, streams.packet(ssrc, 13, Buffer.from([20]), i * 160));
              if (each === 'announcement') arrivals.add(i, streams.packet(ssrc, 8, loud, i * 160));
              if (each === 'unknown') arrivals.add(i, streams.packet(ssrc, 117, Buffer.alloc(9, 1), i * 160));
              if (each === 'broken') arrivals.add(i, Buffer.from([0x80, 0, 1]));
              if (each === 'report')
                await peer.sendReport(Buffer.from('80c90001abcd0001', 'hex'), test.port + 1);
              if (each !== 'stranger') continue;
              strange += 1;
              await stranger.send(stranger.buildRaw(0, loud, strange * 160), test.port);
              sent += 1;
            }
            for (const packet of arrivals.of(i, order)) {
              await peer.send(packet, test.port);
              sent += 1;
            }
            await until(() => arrived(test) >= sent, 'all packets of a tick');
            const frame = test.pull();
            if (frame === null) continue;
            frames += 1;
            if (i >= BEGINNING_TICKS) heard.push(...frame);
          }
          const digits = test.events.map((each) => (each.type === 'dtmf' ? each.digit : '')).join('');
          expect(digits).toBe(keys.map(({ event }) => KEYS[event]).join(''));
          expect(frames).toBeGreaterThanOrEqual(total - 3);
          expectTone(Int16Array.from(heard), agreement);
          expect(test.failures).toEqual([]);
          expect(test.leg.counters).toMatchObject({ concealed: 0, late: 0, strangers: strange });
        } finally {
          test.leg.close();
          peer.close();
          stranger.close();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  }, 600_000);
});

/** When the packets of all presses leave, one press after another, each with its time after the tick's. */
function pressesOf(
  keys: readonly (typeof key extends fc.Arbitrary<infer Key> ? Key : never)[],
  ticksPerFrame: number,
  from: number,
) {
  const due = new Map<number, ReturnType<typeof packetOf>[]>();
  let start = from;
  const packetOf = ({ event, type, ssrc, ways, sure }: (typeof keys)[number], i: number) => {
    const isEnd = i >= UPDATES;
    const duration = Math.min(i + 1, UPDATES) * ticksPerFrame;
    const payload = Buffer.from([event, isEnd ? 0x8a : 10, duration >> 8, duration & 0xff]);
    const { isLost, lateTicks, copyAfterTicks } = ways[i]!;
    return {
      ssrc,
      type,
      payload,
      marker: i === 0,
      isLost: isLost && i !== sure,
      lateTicks,
      copyAfterTicks,
    };
  };
  for (const each of keys) {
    for (let i = 0; i < PRESS_PACKETS; i++) due.set(start + i, [packetOf(each, i)]);
    start += PRESS_PACKETS + each.pauseTicks;
  }
  return { endTick: start, due: (tickIndex: number) => due.get(tickIndex) ?? [] };
}

/** Every 100 ms hold the tone, as loud as it was sent, and nothing of what was sent beside it. */
function expectTone(heard: Int16Array, { roomRateHz, leastSnrDb }: Agreement): void {
  const length = frameSamples(roomRateHz) * 5;
  for (let at = 0; at + length <= heard.length; at += length) {
    const part = heard.subarray(at, at + length);
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / length;
    expect(Math.abs(10 * Math.log10(power / TONE_POWER))).toBeLessThan(5);
    // What is beside the voice is at the full amplitude.
    expect(part.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(28_000);
    if (leastSnrDb !== null) expect(fitSine(part, roomRateHz, 440).snrDb).toBeGreaterThan(leastSnrDb);
  }
}
