import { describe, expect, it } from 'vitest';
import { G722Decoder, G722Encoder } from '../../../src/audio/g722.ts';
import type { RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { likenessDb, voice } from '../audio/opus-voice.ts';
import { arrived, closing, hear, pushSilence } from './leg-pair.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

const RATE_HZ = 16_000;
const FRAME = 320;
const FRAME_BYTES = 160;
const COMFORT_NOISE = 13;
const G722: Partial<RtpConfig> = { codec: 'G722', payloadType: 9 };

async function room(config = G722) {
  const peer = closing(await RtpPeer.start());
  const test = await TestLeg.open(undefined, null, RATE_HZ);
  closing(test.leg);
  test.configure(peer, config);
  return { peer, test };
}

/** The leg sends these samples, and the peer has received them. */
async function say(test: TestLeg, peer: RtpPeer, said: Int16Array): Promise<void> {
  const before = peer.packets.length;
  for (let at = 0; at < said.length; at += FRAME) {
    test.frame.set(said.subarray(at, at + FRAME));
    test.leg.push(test.frame, true);
  }
  await until(() => peer.packets.length === before + said.length / FRAME, 'all packets');
}

function heardBy(peer: RtpPeer): Int16Array {
  const bytes = Buffer.concat(
    peer.packets.filter((each) => each.payloadType === 9).map((each) => each.payload),
  );
  const decoder = new G722Decoder();
  const heard = new Int16Array(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += FRAME_BYTES)
    decoder.decode({ bytes, payloadOffset: at, payloadLength: FRAME_BYTES }, heard, 2 * at);
  return heard;
}

interface Sent {
  readonly packetMs?: number;
  /** Ticks for each byte. */
  readonly clock?: number;
  readonly isLost?: (index: number) => boolean;
  /** Payload type of a packet without sound instead of this one. */
  readonly instead?: (index: number) => number | null;
}

/** The peer sends these samples and the leg is pulled after each 20 ms; returns all frames, silence included. */
async function listen(test: TestLeg, peer: RtpPeer, said: Int16Array, sent: Sent = {}): Promise<Int16Array> {
  const { packetMs = 20, clock = 1, isLost = () => false, instead = () => null } = sent;
  const encoder = new G722Encoder();
  const packets = Array.from({ length: (said.length * 1000) / RATE_HZ / packetMs }, (_, i) => {
    const bytes = 8 * packetMs;
    const payload = Buffer.alloc(bytes);
    encoder.encode(said.subarray(2 * bytes * i, 2 * bytes * (i + 1)), 2 * bytes, payload, 0);
    const type = instead(i);
    const timestamp = (peer.timestamp + clock * bytes * i) >>> 0;
    return type === null
      ? peer.buildRaw(9, payload, timestamp)
      : peer.buildRaw(type, Buffer.of(70), timestamp);
  });
  const heard = new Int16Array(said.length);
  let due = arrived(test);
  let next = 0;
  for (let tick = 0; tick * FRAME < said.length; tick++) {
    for (; next < packets.length && next * packetMs < (tick + 1) * 20; next++) {
      if (isLost(next)) continue;
      await peer.send(packets[next]!, test.port);
      due++;
    }
    await until(() => arrived(test) >= due, `datagram ${due}`);
    test.leg.pull(test.frame);
    heard.set(test.frame, tick * FRAME);
  }
  expect(test.failures).toEqual([]);
  return heard;
}

describe('a call in G.722', () => {
  it('sends a tone beyond G.711 on an even timeline of 8,000 Hz', async () => {
    const { peer, test } = await room();
    await say(test, peer, tone(6_000, RATE_HZ, 50 * FRAME));
    const first = peer.packets[0]!;
    for (const [i, { payload, payloadType, sequence, timestamp }] of peer.packets.entries()) {
      expect([payloadType, payload.length]).toEqual([9, FRAME_BYTES]);
      expect((sequence - first.sequence) & 0xffff).toBe(i);
      expect((timestamp - first.timestamp) >>> 0).toBe(i * FRAME_BYTES);
    }
    const { snrDb, amplitude } = fitSine(heardBy(peer).subarray(10 * FRAME), RATE_HZ, 6_000);
    expect(snrDb).toBeGreaterThan(25);
    expect(Math.abs(amplitude / 10_000 - 1)).toBeLessThan(0.02);
  });

  it('sends silence after a voice, and is heard at once when the voice is back', async () => {
    const { peer, test } = await room();
    const said = voice(RATE_HZ, 1);
    await say(test, peer, said);
    await pushSilence(test, 50);
    await until(() => peer.packets.length === 100, 'the silence');
    await say(test, peer, said);
    const heard = heardBy(peer);
    expect(Math.max(...heard.subarray(52 * FRAME, 100 * FRAME).map(Math.abs))).toBeLessThan(10);
    expect(likenessDb(heard.subarray(100 * FRAME), said, 22)).toBeGreaterThan(20);
    expect(peer.packets.map(({ marker }) => marker).lastIndexOf(true)).toBe(100);
  });

  it.each([10, 20, 30, 40, 60])('hears a tone in packets of %i ms', async (packetMs) => {
    const { peer, test } = await room();
    const heard = await listen(test, peer, tone(5_000, RATE_HZ, 60 * FRAME), { packetMs });
    const { snrDb, amplitude } = fitSine(heard.subarray(12 * FRAME), RATE_HZ, 5_000);
    expect(snrDb).toBeGreaterThan(21);
    expect(Math.abs(amplitude / 10_000 - 1)).toBeLessThan(0.02);
    expect(test.leg.counters).toMatchObject({ lost: 0, late: 0, malformed: 0, concealed: 0 });
    expect(test.events).toEqual([{ type: 'flowing' }]);
  });

  it('hears a peer whose clock counts samples instead of ticks', async () => {
    const { peer, test } = await room();
    const heard = await listen(test, peer, tone(1_000, RATE_HZ, 100 * FRAME), { clock: 2 });
    expect(fitSine(heard.subarray(70 * FRAME), RATE_HZ, 1_000).snrDb).toBeGreaterThan(30);
    expect(test.leg.counters).toMatchObject({ lost: 0, late: 0 });
  });

  it('conceals lost packets', async () => {
    const { peer, test } = await room();
    const heard = await listen(test, peer, tone(440, RATE_HZ, 100 * FRAME), { isLost: (i) => i % 10 === 5 });
    expect(test.leg.counters.lost).toBeGreaterThanOrEqual(9);
    expect(fitSine(heard.subarray(5 * FRAME, 90 * FRAME), RATE_HZ, 440).snrDb).toBeGreaterThan(12);
  });

  it('is silent while the peer sends comfort noise, and clean afterwards', async () => {
    const { peer, test } = await room();
    const heard = await listen(test, peer, tone(1_000, RATE_HZ, 100 * FRAME), {
      instead: (i) => (i >= 40 && i < 60 ? COMFORT_NOISE : null),
    });
    const quiet = heard.subarray(54 * FRAME, 60 * FRAME);
    expect(Math.max(...quiet.map(Math.abs))).toBeLessThan(500);
    expect(fitSine(heard.subarray(75 * FRAME), RATE_HZ, 1_000).snrDb).toBeGreaterThan(30);
    expect(test.leg.counters).toMatchObject({ lost: 0, malformed: 0 });
  });

  it('is heard again after a peer fills a gap with zeros', async () => {
    const { peer, test } = await room();
    await listen(test, peer, voice(RATE_HZ, 1));
    for (let i = 0; i < 5; i++) await peer.send(peer.buildRaw(9, Buffer.alloc(FRAME_BYTES), 0), test.port);
    const said = voice(RATE_HZ, 1);
    const heard = await listen(test, peer, said);
    expect(heard.some((sample) => Math.abs(sample) > 2_000)).toBe(true);
    expect(test.failures).toEqual([]);
  });

  it('refuses packets that are too long, and continues', async () => {
    const { peer, test } = await room();
    await peer.send(peer.buildRaw(9, Buffer.alloc(481), 0), test.port);
    await until(() => arrived(test) === 1, 'the datagram');
    expect(test.leg.counters.malformed).toBe(1);
    const heard = await listen(test, peer, tone(1_000, RATE_HZ, 30 * FRAME));
    expect(fitSine(heard.subarray(10 * FRAME), RATE_HZ, 1_000).snrDb).toBeGreaterThan(35);
  });

  it('sends digits with durations in a clock of 8,000 Hz', async () => {
    const { peer, test } = await room();
    const sent = test.leg.commands.dtmf('5');
    await pushSilence(test, 12);
    await sent;
    await until(() => peer.packets.length === 12, '12 packets');
    const events = peer.packets.filter(({ payloadType }) => payloadType === 101);
    expect(events.map(({ payload }) => payload.readUInt16BE(2))).toEqual([160, 320, 480, 640, 800, 800, 800]);
    expect((peer.packets[8]!.timestamp - events[0]!.timestamp) >>> 0).toBe(8 * FRAME_BYTES);
  });
});

describe('a call in a room of 16 kHz that changes its codec', () => {
  it('goes on in G.711, and back in G.722', async () => {
    const { peer, test } = await room();
    await say(test, peer, tone(1_000, RATE_HZ, 25 * FRAME));
    test.configure(peer);
    await say(test, peer, tone(1_000, RATE_HZ, 50 * FRAME));
    const narrow = peer.packets.slice(25);
    expect(narrow.every(({ payload, payloadType }) => payload.length === 160 && payloadType === 0)).toBe(
      true,
    );
    expect(fitSine(peer.audio('PCMU', 0).subarray(800), 8_000, 1_000).snrDb).toBeGreaterThan(30);
    const heard = await hear(peer, test, 50);
    expect(fitSine(heard.subarray(2 * FRAME), RATE_HZ, 440).snrDb).toBeGreaterThan(30);
    test.configure(peer, G722);
    peer.packets.splice(0);
    await say(test, peer, tone(5_000, RATE_HZ, 50 * FRAME));
    expect(fitSine(heardBy(peer).subarray(10 * FRAME), RATE_HZ, 5_000).snrDb).toBeGreaterThan(21);
    const again = await listen(test, peer, tone(5_000, RATE_HZ, 50 * FRAME));
    expect(fitSine(again.subarray(10 * FRAME), RATE_HZ, 5_000).snrDb).toBeGreaterThan(21);
    expect(
      peer.packets.map(({ timestamp }, i) => (timestamp - peer.packets[0]!.timestamp) / 160 - i),
    ).toEqual(Array(50).fill(0));
  });

  it('goes on in Opus', async () => {
    const { peer, test } = await room({
      codec: 'opus',
      payloadType: 111,
      dtmfClockRateHz: 48_000,
      opus: { maxBitrateBps: null, inbandFec: true },
    });
    const said = tone(440, RATE_HZ, 50 * FRAME);
    await say(test, peer, said);
    expect((peer.packets[1]!.timestamp - peer.packets[0]!.timestamp) >>> 0).toBe(960);
    const heard = new Int16Array(said.length);
    for (const [i, { raw }] of peer.packets.entries()) {
      await peer.send(raw, test.port);
      await until(() => arrived(test) === i + 1, `packet ${i}`);
      test.leg.pull(test.frame);
      heard.set(test.frame, i * FRAME);
    }
    expect(fitSine(heard.subarray(20 * FRAME), RATE_HZ, 440).snrDb).toBeGreaterThan(15);
  });
});
