import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrived } from './leg-pair.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

const VOICE = 1;
const CONFIG = {
  received: {
    codecs: [
      { codec: 'PCMA', payloadType: 8 },
      { codec: 'G722', payloadType: 9 },
    ],
    events: [{ payloadType: 100, clockRateHz: 8_000 }],
  },
} as const;

/** What happens in one tick besides the voice's own packet. */
const besides = fc.constantFrom('noise', 'announcement', 'unknown', 'rtcp', 'nothing', 'nothing');
/** A tick: the codec of the voice, and what is sent beside it. */
const tick = fc.record({ codec: fc.constantFrom(0, 8, 9), besides, ssrc: fc.integer({ min: 2, max: 9 }) });
/** A key: what it is, the type and stream of its packets, and how they arrive. */
const key = fc.record({
  event: fc.nat(15),
  type: fc.constantFrom(100, 101),
  ssrc: fc.constantFrom(VOICE, 20, 21, 22),
  lost: fc.subarray([0, 1, 2, 3, 4, 5], { maxLength: 5 }),
  repeated: fc.subarray([0, 1, 2, 3, 4, 5, 6]),
  swaps: fc.boolean(),
});

/** Numbers of each stream of a peer. */
class Numbers {
  readonly #peer: RtpPeer;
  readonly #of = new Map<number, { sequence: number; timestamp: number }>();

  constructor(peer: RtpPeer) {
    this.#peer = peer;
  }

  packet(ssrc: number, type: number, payload: Buffer, { marker = false, at = 0, ticks = 160 } = {}): Buffer {
    const own = this.#of.get(ssrc) ?? { sequence: ssrc * 977, timestamp: ssrc * 100_003 };
    this.#of.set(ssrc, own);
    Object.assign(this.#peer, { ssrc, sequence: own.sequence });
    const packet = this.#peer.buildRaw(type, payload, (own.timestamp + at) >>> 0, marker);
    own.sequence = (own.sequence + 1) & 0xffff;
    own.timestamp = (own.timestamp + ticks) >>> 0;
    return packet;
  }

  /** Seven packets of one press, 100 ms long, with one timestamp. */
  press(ssrc: number, type: number, event: number): Buffer[] {
    return Array.from({ length: 7 }, (_, i) => {
      const duration = Math.min(i + 1, 5) * 160;
      const payload = Buffer.from([event, i < 4 ? 10 : 0x8a, duration >> 8, duration & 0xff]);
      return this.packet(ssrc, type, payload, { marker: i === 0, at: -160 * i });
    });
  }
}

describe('packets of several streams, codecs and events', () => {
  it('in any order lose no digit, double none, and leave no hole in the voice', async () => {
    const property = fc.asyncProperty(
      fc.array(tick, { minLength: 20, maxLength: 50 }),
      fc.array(key, { maxLength: 8 }),
      async (ticks, keys) => {
        const peer = await RtpPeer.start();
        const test = await TestLeg.open();
        try {
          test.configure(peer, CONFIG);
          const numbers = new Numbers(peer);
          let sent = 0;
          const send = async (packet: Buffer): Promise<void> => {
            sent += 1;
            await peer.send(packet, test.port);
          };
          let heard = 0;
          for (const [i, { codec, besides: also, ssrc }] of ticks.entries()) {
            await send(numbers.packet(VOICE, codec, Buffer.alloc(160, 0x55)));
            if (i > 2 && also === 'noise') await send(numbers.packet(ssrc, 13, Buffer.from([60])));
            if (i > 2 && also === 'announcement')
              await send(numbers.packet(ssrc, 8, Buffer.alloc(160, 0x11)));
            if (also === 'unknown') await send(numbers.packet(ssrc, 117, Buffer.alloc(9)));
            await until(() => arrived(test) >= sent, 'all packets of a tick');
            if (test.pull() !== null) heard += 1;
          }
          expect(heard).toBeGreaterThanOrEqual(ticks.length - 3);
          for (const { event, type, ssrc, lost, repeated, swaps } of keys) {
            const packets = numbers.press(ssrc, type, event).flatMap((packet, i) => {
              if (lost.includes(i)) return [];
              return repeated.includes(i) ? [packet, packet] : [packet];
            });
            if (swaps) packets.push(...packets.splice(-2, 1));
            for (const packet of packets) await send(packet);
            // The pause after a key.
            for (let i = 0; i < 4; i++) await send(numbers.packet(ssrc, 13, Buffer.from([60])));
            await until(() => arrived(test) >= sent, 'all packets of a key');
          }
          const digits = test.events.map((each) => (each.type === 'dtmf' ? each.digit : '')).join('');
          expect(digits).toBe(keys.map(({ event }) => '0123456789*#ABCD'[event]).join(''));
          expect(test.failures).toEqual([]);
          expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0, strangers: 0 });
        } finally {
          test.leg.close();
          peer.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
