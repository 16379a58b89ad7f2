import { describe, expect, it } from 'vitest';
import { writeReport } from '../../../src/rtp/rtcp/rtcp-packet.ts';
import type { RtpConfig } from '../../../src/rtp/rtp-protocol.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { likenessAtDb, voice } from '../audio/opus-voice.ts';
import { arrived, closing, hear, pushSilence } from './leg-pair.ts';
import { RtpPeer, type SeenPacket, TestLeg, until } from './rtp-peer.ts';

const FRAME = 960;
const OPUS: Partial<RtpConfig> = {
  codec: 'opus',
  payloadType: 111,
  dtmfClockRateHz: 48_000,
  opus: { maxBitrateBps: null, inbandFec: true },
};

/** Two legs with a path between them that records the packets of the first and passes selected ones to the second. */
async function path(speakerRateHz: number, listenerRateHz: number) {
  const peer = closing(await RtpPeer.start());
  const speaker = await TestLeg.open(undefined, null, speakerRateHz);
  const listener = await TestLeg.open(undefined, null, listenerRateHz);
  closing(speaker.leg);
  closing(listener.leg);
  speaker.configure(peer, OPUS);
  listener.configure(peer, OPUS);
  return { peer, speaker, listener };
}

async function packetsOf(peer: RtpPeer, speaker: TestLeg, said: Int16Array): Promise<SeenPacket[]> {
  const { frame } = speaker;
  const before = peer.packets.length;
  for (let at = 0; at + frame.length <= said.length; at += frame.length) {
    frame.set(said.subarray(at, at + frame.length));
    speaker.leg.push(frame, true);
    const due = before + at / frame.length + 1;
    await until(() => peer.packets.length === due, `packet ${due}`);
  }
  return peer.packets.slice(before);
}

/** Each tick the packets of that tick arrive and a frame is pulled; returns all frames, silence included. */
async function heardOf(
  peer: RtpPeer,
  listener: TestLeg,
  ticks: readonly (readonly SeenPacket[])[],
): Promise<Int16Array> {
  const { frame } = listener;
  const heard = new Int16Array(ticks.length * frame.length);
  let due = arrived(listener);
  for (const [tick, packets] of ticks.entries()) {
    for (const { raw } of packets) await peer.send(raw, listener.port);
    due += packets.length;
    await until(() => arrived(listener) === due, `datagram ${due}`);
    listener.leg.pull(frame);
    heard.set(frame, tick * frame.length);
  }
  expect(listener.failures).toEqual([]);
  return heard;
}

/**
 * The median similarity of each 200 ms of the output to the input at about that time. The jitter buffer may leave
 * out a quiet packet or let one in: what follows is a frame early or late.
 */
function steadyLikenessDb(heard: Int16Array, said: Int16Array): number {
  const length = 10 * FRAME;
  const shift = 2 * FRAME;
  const parts: number[] = [];
  for (let at = shift; at + length + shift <= Math.min(heard.length, said.length); at += length) {
    const part = heard.subarray(at, at + length);
    let best = Number.NEGATIVE_INFINITY;
    for (let from = at - shift; from <= at + shift; from++)
      best = Math.max(best, likenessAtDb(part, said.subarray(from, from + length), 0));
    parts.push(best);
  }
  return parts.sort((a, b) => a - b)[parts.length >> 1]!;
}

/** Gives reports distinct jitter values, to tell them apart. */
let reports = 0;

/** The peer of `speaker` reports this loss, in 256ths of its packets. */
async function reportLoss(peer: RtpPeer, speaker: TestLeg, fractionLost: number): Promise<void> {
  const { ssrc } = peer.packets.at(-1)!;
  const rest = { cumulativeLost: 0, highestSequence: 0, lastSenderReport: 0, delaySinceSenderReport: 0 };
  reports++;
  const report = Buffer.alloc(64);
  const length = writeReport(report, 0, 7, {
    sender: null,
    block: {
      ssrc,
      fractionLost,
      jitterSamples: reports * 48,
      ...rest,
    },
  });
  await peer.sendReport(report.subarray(0, length), speaker.port + 1);
  await until(() => speaker.leg.counters.remoteJitterMs === reports, 'the report');
}

/** How many packets carry FEC: the second bit of mono SILK and hybrid packets of one frame (RFC 6716, 4.2.3). */
function withFec(packets: readonly SeenPacket[]): number {
  return packets.filter(({ payload }) => payload[0]! < 0x80 && (payload[1]! & 0x40) !== 0).length;
}

/** From the first sound on. */
function fromStart(heard: Int16Array): Int16Array {
  return heard.subarray(Math.floor(heard.findIndex((sample) => sample !== 0) / FRAME) * FRAME);
}

describe('a call in Opus', () => {
  it('carries a voice at 48 kHz', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 2);
    const packets = await packetsOf(peer, speaker, said);
    const heard = fromStart(
      await heardOf(
        peer,
        listener,
        packets.map((packet) => [packet]),
      ),
    );
    expect(heard.length).toBeGreaterThan(90 * FRAME);
    expect(steadyLikenessDb(heard, said)).toBeGreaterThan(8);
    expect(listener.leg.counters).toMatchObject({ lost: 0, late: 0 });
    expect(listener.events).toEqual([{ type: 'flowing' }]);
  });

  it('keeps the RTP clock at 48 kHz at any rate of the room', async () => {
    for (const rateHz of [8_000, 48_000]) {
      const { peer, speaker } = await path(rateHz, 48_000);
      const packets = await packetsOf(peer, speaker, voice(rateHz, 1));
      const first = packets[0]!;
      for (const [i, { timestamp, sequence, payloadType, marker }] of packets.entries()) {
        expect((timestamp - first.timestamp) >>> 0).toBe(i * FRAME);
        expect((sequence - first.sequence) & 0xffff).toBe(i);
        expect([payloadType, marker]).toEqual([111, i === 0]);
      }
    }
  });

  it('is audible in a room of 8 kHz', async () => {
    const { peer, speaker, listener } = await path(48_000, 8_000);
    const said = new Int16Array(48_000);
    new Tone(440, 48_000, 0.5).fill(said);
    const packets = await packetsOf(peer, speaker, said);
    const heard = await heardOf(
      peer,
      listener,
      packets.map((packet) => [packet]),
    );
    expect(fitSine(heard.subarray(15 * 160), 8_000, 440).snrDb).toBeGreaterThan(15);
  });

  it('keeps a tone intact, and drops none of its packets', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = new Int16Array(3 * 48_000);
    new Tone(425, 48_000, 0.2).fill(said);
    const packets = await packetsOf(peer, speaker, said);
    const heard = await heardOf(
      peer,
      listener,
      packets.map((packet) => [packet]),
    );
    expect(fitSine(heard.subarray(15 * FRAME), 48_000, 425).snrDb).toBeGreaterThan(15);
    expect(listener.leg.counters).toMatchObject({ droppedForDepth: 0, concealed: 0 });
  });

  it('restores a lost packet from the one after it', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    await packetsOf(peer, speaker, voice(48_000, 0.1));
    await reportLoss(peer, speaker, 40);
    const said = voice(48_000, 4);
    const packets = await packetsOf(peer, speaker, said);
    const isLost = (i: number) => i > 20 && i < 190 && i % 6 === 0;
    const heard = fromStart(
      await heardOf(
        peer,
        listener,
        packets.map((packet, i) => (isLost(i) ? [] : [packet])),
      ),
    );
    expect(listener.leg.counters.lost).toBe(packets.filter((_, i) => isLost(i)).length);
    expect(steadyLikenessDb(heard, said)).toBeGreaterThan(6);
  });

  it('sends FEC while losses are reported, and the whole band otherwise', async () => {
    const { peer, speaker } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    const isFullBand = ({ payload }: SeenPacket) => payload[0]! >> 3 === 15;
    const clean = await packetsOf(peer, speaker, said);
    expect(withFec(clean)).toBe(0);
    expect(clean.filter(isFullBand).length).toBeGreaterThan(40);
    await reportLoss(peer, speaker, 20);
    const lossy = await packetsOf(peer, speaker, said);
    expect(withFec(lossy)).toBeGreaterThan(20);
    for (let i = 0; i < 3; i++) await reportLoss(peer, speaker, 0);
    await packetsOf(peer, speaker, said);
    const again = await packetsOf(peer, speaker, said);
    expect(withFec(again)).toBe(0);
    expect(again.filter(isFullBand).length).toBeGreaterThan(40);
  });

  it.each([
    [undefined, null, 24_000],
    [64_000, null, 64_000],
    [64_000, 32_000, 32_000],
    [undefined, 64_000, 24_000],
  ])('encodes at %s bit/s for a peer that allows %s', async (bitrateBps, maxBitrateBps, expected) => {
    const { peer, speaker } = await path(48_000, 48_000);
    const asked = { maxBitrateBps, inbandFec: false };
    speaker.configure(peer, { ...OPUS, opus: bitrateBps === undefined ? asked : { ...asked, bitrateBps } });
    const packets = await packetsOf(peer, speaker, voice(48_000, 2));
    const bits = packets.reduce((sum, { payload }) => sum + 8 * payload.length, 0);
    expect(bits / 2 / expected).toBeGreaterThan(0.7);
    expect(bits / 2 / expected).toBeLessThan(1.2);
  });

  it('sends no FEC to a peer that cannot use it, also after a change of codecs', async () => {
    const { peer, speaker } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    speaker.configure(peer, { ...OPUS, opus: { maxBitrateBps: null, inbandFec: false } });
    await packetsOf(peer, speaker, said);
    await reportLoss(peer, speaker, 64);
    expect(withFec(await packetsOf(peer, speaker, said))).toBe(0);
    speaker.configure(peer);
    speaker.configure(peer, OPUS);
    expect(withFec(await packetsOf(peer, speaker, said))).toBeGreaterThan(20);
  });

  it('conceals a longer loss and continues', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const packets = await packetsOf(peer, speaker, voice(48_000, 3));
    const heard = await heardOf(
      peer,
      listener,
      packets.map((packet, i) => (i % 50 > 40 && i % 50 < 44 ? [] : [packet])),
    );
    expect(listener.leg.counters.lost).toBe(9);
    expect(listener.leg.counters.concealed).toBeGreaterThanOrEqual(9);
    const silent = Array.from({ length: 140 }, (_, i) => heard.subarray((i + 8) * FRAME, (i + 9) * FRAME));
    expect(silent.filter((frame) => frame.every((sample) => sample === 0))).toEqual([]);
  });

  it('reorders packets and plays none twice', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 2);
    const packets = await packetsOf(peer, speaker, said);
    const ticks = packets.map((packet, i) => {
      const other = packets[i % 2 === 0 ? i + 1 : i - 1] ?? packet;
      return i % 10 === 4 || i % 10 === 5 ? [other, other] : [packet];
    });
    const heard = fromStart(await heardOf(peer, listener, ticks));
    expect(listener.leg.counters).toMatchObject({ duplicate: packets.length / 5, lost: 0 });
    expect(steadyLikenessDb(heard, said)).toBeGreaterThan(8);
  });

  it('sends silence in one byte a packet, and is audible at once when it ends', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    await packetsOf(peer, speaker, said);
    await pushSilence(speaker, 50);
    await until(() => peer.packets.length === 100, 'the silence');
    expect(peer.packets.slice(56, 100).every(({ payload }) => payload.length === 1)).toBe(true);
    await packetsOf(peer, speaker, said);
    expect(peer.packets.map(({ marker }) => marker).lastIndexOf(true)).toBe(100);
    const heard = fromStart(
      await heardOf(
        peer,
        listener,
        peer.packets.map((packet) => [packet]),
      ),
    );
    const silence = heard.subarray(53 * FRAME, 98 * FRAME);
    expect(silence.every((sample) => Math.abs(sample) < 100)).toBe(true);
    const again = heard.subarray(100 * FRAME, 140 * FRAME);
    expect(steadyLikenessDb(again, said)).toBeGreaterThan(7);
  });

  it('plays across a gap in which the sender sent nothing', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    const before = await packetsOf(peer, speaker, said);
    const after = await packetsOf(peer, speaker, said);
    const later = after.map(({ raw, ...packet }, i) => {
      raw.writeUInt16BE((before[49]!.sequence + 1 + i) & 0xffff, 2);
      raw.writeUInt32BE((before[49]!.timestamp + (11 + i) * FRAME) >>> 0, 4);
      return { ...packet, raw };
    });
    const ticks = [...before.map((each) => [each]), ...Array(10).fill([]), ...later.map((each) => [each])];
    await heardOf(peer, listener, ticks);
    expect(listener.leg.counters).toMatchObject({ lost: 0, late: 0 });
  });

  it('counts invalid Opus packets and continues', async () => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    const packets = await packetsOf(peer, speaker, said);
    const tooLong = peer.buildRaw(111, Buffer.alloc(1_501), 0);
    const tooMuch = peer.buildRaw(111, Buffer.from([0x1b, 63]), 0);
    for (const packet of [tooLong, tooMuch]) await peer.send(packet, listener.port);
    await until(() => arrived(listener) >= 1, 'what fits into a datagram of ours');
    const junk = { ...packets[0]!, raw: Buffer.from(packets[10]!.raw) };
    junk.raw.fill(0xff, 13);
    const heard = await heardOf(
      peer,
      listener,
      packets.map((packet, i) => [i === 10 ? junk : packet]),
    );
    expect(listener.leg.counters.malformed).toBeGreaterThanOrEqual(1);
    expect(heard.subarray(30 * FRAME).some((sample) => Math.abs(sample) > 2_000)).toBe(true);
  });

  it.each([40, 60])('accepts packets of %i ms', async (packetMs) => {
    const { peer, speaker, listener } = await path(48_000, 48_000);
    const said = voice(48_000, 2).subarray(0, 96 * FRAME);
    const packets = await packetsOf(peer, speaker, said);
    const count = packetMs / 20;
    // RFC 6716 section 3.2.5, code 3 with VBR: the frames of several packets of the same kind in one.
    const ticks = packets.map((packet, i): SeenPacket[] => {
      if (i % count !== count - 1) return [];
      const parts = packets.slice(i - count + 1, i + 1).map(({ payload }) => payload.subarray(1));
      const sizes = parts.slice(0, -1).map(({ length }) => length);
      const head = Buffer.from([packet.payload[0]! | 3, 0x80 | count, ...sizes]);
      return [
        {
          ...packet,
          raw: peer.buildRaw(111, Buffer.concat([head, ...parts]), packets[i - count + 1]!.timestamp),
        },
      ];
    });
    const kinds = new Set(packets.map(({ payload }) => payload[0]! & 0xfc));
    expect(kinds.size).toBeLessThan(4);
    const heard = fromStart(await heardOf(peer, listener, ticks));
    expect(heard.length).toBeGreaterThan(85 * FRAME);
    expect(listener.leg.counters).toMatchObject({ lost: 0, late: 0, malformed: 0 });
  });
});

describe('DTMF beside Opus', () => {
  it.each([48_000, 8_000])('has durations in a clock of %i Hz', async (dtmfClockRateHz) => {
    const { peer, speaker } = await path(48_000, 48_000);
    speaker.configure(peer, { ...OPUS, dtmfClockRateHz });
    const sent = speaker.leg.commands.dtmf('5');
    await pushSilence(speaker, 12);
    await sent;
    await until(() => peer.packets.length === 12, '12 packets');
    const events = peer.packets.filter(({ payloadType }) => payloadType === 101);
    expect(events.map(({ payload }) => payload.readUInt16BE(2))).toEqual(
      [1, 2, 3, 4, 5, 5, 5].map((ticks) => (ticks * dtmfClockRateHz) / 50),
    );
    expect(new Set(events.map(({ timestamp }) => timestamp)).size).toBe(1);
    expect((peer.packets[8]!.timestamp - events[0]!.timestamp) >>> 0).toBe(8 * FRAME);
  });
});

describe('a call that changes its codec', () => {
  it('switches to G.711 in a room of 48 kHz, and back', async () => {
    const { peer, speaker: test } = await path(48_000, 48_000);
    const said = voice(48_000, 1);
    await packetsOf(peer, test, said);
    test.configure(peer);
    const tone = new Int16Array(48_000);
    new Tone(1_000, 48_000, 0.5).fill(tone);
    const narrow = await packetsOf(peer, test, tone);
    expect(narrow.every(({ payload, payloadType }) => payload.length === 160 && payloadType === 0)).toBe(
      true,
    );
    expect((narrow[1]!.timestamp - narrow[0]!.timestamp) >>> 0).toBe(160);
    const { sequence, ssrc } = peer.packets[49]!;
    expect(narrow[0]).toMatchObject({ sequence: (sequence + 1) & 0xffff, ssrc });
    peer.packets.splice(0, 60);
    expect(fitSine(peer.audio('PCMU', 0), 8_000, 1_000).snrDb).toBeGreaterThan(30);
    const heard = await hear(peer, test, 50);
    expect(heard.length).toBeGreaterThan(40 * FRAME);
    expect(fitSine(heard.subarray(2 * FRAME), 48_000, 440).snrDb).toBeGreaterThan(30);
    test.configure(peer, OPUS);
    const wide = await packetsOf(peer, test, said);
    expect((wide[1]!.timestamp - wide[0]!.timestamp) >>> 0).toBe(FRAME);
    const listener = await TestLeg.open(undefined, null, 48_000);
    closing(listener.leg);
    listener.configure(peer, OPUS);
    const again = fromStart(
      await heardOf(
        peer,
        listener,
        wide.map((packet) => [packet]),
      ),
    );
    expect(steadyLikenessDb(again, said)).toBeGreaterThan(7);
    expect(test.failures).toEqual([]);
  });

  it('sends nothing after it is closed', async () => {
    const { peer, speaker } = await path(48_000, 48_000);
    await packetsOf(peer, speaker, voice(48_000, 1));
    speaker.leg.close();
    speaker.leg.push(speaker.frame, true);
    expect(speaker.leg.pull(speaker.frame)).toBe(false);
  });
});
