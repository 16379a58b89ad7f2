import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wallMs } from '../../../src/base/wall-ms.ts';
import { MAX_VOICES, MEDIA_MEMORY_BYTES, type MediaEvent } from '../../../src/media/media-leg.ts';
import { newPacketRings } from '../../../src/rings/bridge-rings.ts';
import { PacketRingConsumer, PacketRingProducer } from '../../../src/rings/packet-ring.ts';
import { packetLegsWith, voiceCodecsFor } from '../../../src/rtp/open-rtp-leg.ts';
import type { PacketLeg } from '../../../src/rtp/packet-leg.ts';
import { RtpPacket } from '../../../src/rtp/rtp-packet.ts';
import type { PacketConfig, PacketOpen, VoiceSignal } from '../../../src/rtp/rtp-protocol.ts';
import { PacketStream, rtpPacket } from '../../support/packet-stream.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';

const ROOM_HZ = 8_000;
const OTHERS = MAX_VOICES - 1;
const TICK_MS = 20;
const openLeg = packetLegsWith(voiceCodecsFor('portable'));

const PCMU: PacketConfig = { codec: 'PCMU', payloadType: 0, opus: null, sending: true, receiving: true };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A leg, the bridge thread's end of its rings, and everything that it reported. */
class Bridged {
  readonly events: MediaEvent<VoiceSignal>[] = [];
  readonly rings = newPacketRings();
  readonly memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  readonly #received = new PacketRingProducer(this.rings.received);
  readonly #sent = new PacketRingConsumer(this.rings.sent);
  leg!: PacketLeg;

  static async open(speakers: PacketOpen['speakers'] = 'ssrc'): Promise<Bridged> {
    const bridged = new Bridged();
    await bridged.reopen(speakers);
    return bridged;
  }

  /** As another engine thread does. */
  async reopen(speakers: PacketOpen['speakers'] = 'ssrc'): Promise<void> {
    const open = { rings: this.rings, sampleRateHz: ROOM_HZ, speakers };
    const host = {
      emit: (event: MediaEvent<VoiceSignal>) => void this.events.push(event),
      fail: (error: unknown) => expect.unreachable(String(error)),
    };
    this.leg = (await openLeg(open, this.memory, host)) as PacketLeg;
    this.leg.configure(PCMU);
  }

  /** The source of each voice, as reported. */
  get voices(): (number | undefined)[] {
    const voices: (number | undefined)[] = [];
    for (const event of this.events)
      if (event.type === 'signal') voices[event.signal.voice] = event.signal.ssrc;
    return voices;
  }

  write(packet: Uint8Array): boolean {
    return this.#received.write(packet, packet.length, wallMs());
  }

  /** One tick: pulls every voice. Returns the frames of those that are heard. */
  tick(): (Int16Array | null)[] {
    vi.advanceTimersByTime(TICK_MS);
    return this.leg.voices.map((voice) => {
      const frame = new Int16Array(ROOM_HZ / 50);
      return voice.pull(frame) ? frame : null;
    });
  }

  /** Plays the streams for so many ticks. Returns what each voice played. */
  play(streams: readonly PacketStream[], ticks: number): Int16Array[] {
    return this.playPackets(() => streams.map((stream) => stream.next()), ticks);
  }

  playPackets(packetsOf: (tick: number) => readonly Uint8Array[], ticks: number): Int16Array[] {
    const heard: number[][] = this.leg.voices.map(() => []);
    for (let tick = 0; tick < ticks; tick++) {
      for (const packet of packetsOf(tick)) expect(this.write(packet)).toBe(true);
      for (const [voice, frame] of this.tick().entries()) heard[voice]!.push(...(frame ?? []));
    }
    return heard.map((samples) => Int16Array.from(samples));
  }

  wait(milliseconds: number): void {
    for (let waited = 0; waited < milliseconds; waited += TICK_MS) this.tick();
  }

  /** The packets sent so far. */
  takeSent(): RtpPacket[] {
    const packets: RtpPacket[] = [];
    while (this.#sent.next()) {
      const packet = new RtpPacket();
      expect(packet.read(this.#sent.bytes.slice(), this.#sent.start, this.#sent.end)).toBe(true);
      packets.push(packet);
    }
    return packets;
  }
}

/** Streams of different tones, each with an SSRC of its own. */
function streams(count: number, firstSsrc = 0xffff_0000): PacketStream[] {
  return Array.from(
    { length: count },
    (_, i) => new PacketStream({ ssrc: firstSsrc + i, toneHz: toneOf(i), amplitude: 0.05 }),
  );
}

function toneOf(i: number): number {
  return 300 + 200 * i;
}

/** Tones that can be heard among those of `count` streams. */
function tonesIn(samples: Int16Array, count: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  return all.filter((i) => toneLevelDb(samples, ROOM_HZ, toneOf(i)) > -40);
}

describe('a leg over packet rings', () => {
  it('gives each of seven sources a voice of its own, and the others one together', async () => {
    const bridged = await Bridged.open();
    const all = streams(10);
    bridged.play(all, 20);
    const heard = bridged.play(all, 50);
    expect(heard.map((samples) => tonesIn(samples, all.length))).toEqual([
      ...[[0], [1], [2], [3], [4], [5], [6]],
      [7, 8, 9],
    ]);
    expect(bridged.voices).toEqual(all.slice(0, OTHERS).map(({ ssrc }) => ssrc));
    expect(bridged.events.filter(({ type }) => type === 'flowing')).toHaveLength(1);
    expect(bridged.leg.counters).toMatchObject({ packetsReceived: 700, lost: 0, late: 0, malformed: 0 });
  });

  it('drops and counts the packets of more than 32 sources', async () => {
    const bridged = await Bridged.open();
    bridged.play(streams(34), 10);
    expect(bridged.leg.counters).toMatchObject({ packetsReceived: 320, overflowed: 20 });
  });

  it('reads 512 packets of a flood, 64 per tick, then two per source and tick; the ring drops what it cannot hold', async () => {
    const bridged = await Bridged.open();
    const stream = new PacketStream({ ssrc: 1, toneHz: 440 });
    const readInTick = () => {
      const before = bridged.leg.counters.packetsReceived;
      while (bridged.write(stream.next()));
      bridged.tick();
      return bridged.leg.counters.packetsReceived - before;
    };
    const read = Array.from({ length: 20 }, readInTick);
    expect(read[0]).toBe(64);
    expect(read.at(-1)).toBe(4);
    expect(read.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(512 + 20 * 4);
    expect(bridged.leg.counters.overflowed).toBe(20);
  });

  it('keeps the voice of a silent source until another one needs it, but not its state', async () => {
    const bridged = await Bridged.open();
    const [first, second, ...rest] = streams(8) as [PacketStream, PacketStream, ...PacketStream[]];
    bridged.play([first, second], 10);
    bridged.wait(11_000);
    bridged.play([second, ...rest.slice(0, 5)], 10);
    expect(bridged.voices[0]).toBe(first.ssrc);
    bridged.play([rest[5]!], 10);
    expect(bridged.voices).toEqual([rest[5]!.ssrc, second.ssrc, ...rest.slice(0, 5).map(({ ssrc }) => ssrc)]);
    const heard = bridged.play([first, rest[5]!], 30);
    expect(tonesIn(heard[OTHERS]!, 8)).toEqual([0]);
    expect(tonesIn(heard[0]!, 8)).toEqual([7]);
  });

  it('gives a source that shares a voice the one of a source that has gone', async () => {
    const bridged = await Bridged.open();
    const all = streams(8);
    const last = all[OTHERS]!;
    bridged.play(all, 10);
    bridged.play(all.slice(1), 560);
    expect(bridged.voices[0]).toBe(last.ssrc);
    expect(tonesIn(bridged.play([last], 30)[0]!, 8)).toEqual([OTHERS]);
  });

  it('lets new sources in once old ones have gone', async () => {
    const bridged = await Bridged.open();
    bridged.play(streams(32), 5);
    bridged.wait(10_500);
    const heard = bridged.play(streams(1, 5), 30);
    expect(tonesIn(heard[0]!, 1)).toEqual([0]);
    expect(bridged.leg.counters.overflowed).toBe(0);
  });

  it('keeps the voices when it is reopened on its memory, and reports them again', async () => {
    const bridged = await Bridged.open();
    const all = streams(3);
    bridged.play(all, 10);
    const { voices } = bridged;
    bridged.leg.close();
    bridged.events.length = 0;
    await bridged.reopen();
    expect(bridged.voices).toEqual(voices);
    bridged.play(all.toReversed(), 20);
    const heard = bridged.play(all.toReversed(), 30);
    expect(heard.slice(0, 3).map((samples) => tonesIn(samples, 3))).toEqual([[0], [1], [2]]);
    expect(bridged.events.filter(({ type }) => type === 'signal')).toHaveLength(3);
  });

  it('survives packets that are none, and counts them', async () => {
    const bridged = await Bridged.open();
    const header = { payloadType: 0, sequence: 1, timestamp: 1, ssrc: 1 };
    const good = rtpPacket(
      header,
      Array.from({ length: 160 }, () => 0xff),
    );
    const bad = [
      Uint8Array.of(0x80),
      good.map((byte, i) => (i === 0 ? 0x40 : byte)),
      // Fifteen CSRCs, an extension, and padding, that are longer than the packet.
      good.slice(0, 20).map((byte, i) => (i === 0 ? 0x8f : byte)),
      good.slice(0, 14).map((byte, i) => (i === 0 ? 0x90 : byte)),
      good.map((byte, i) => (i === 0 ? 0xa0 : byte)),
      rtpPacket({ ...header, payloadType: 13 }, [0]),
      rtpPacket(
        header,
        Array.from({ length: 1_400 }, () => 0xff),
      ),
    ];
    for (const packet of bad) bridged.write(packet);
    bridged.tick();
    expect(bridged.leg.counters).toMatchObject({ malformed: bad.length, packetsReceived: 0 });
    bridged.write(good);
    bridged.tick();
    expect(bridged.leg.counters.packetsReceived).toBe(1);
  });

  it('forgets its sources on hold and when the codec changes', async () => {
    const bridged = await Bridged.open();
    const all = streams(1);
    bridged.play(all, 10);
    bridged.leg.configure({ ...PCMU, receiving: false });
    expect(bridged.play(all, 10)[0]).toHaveLength(0);
    bridged.leg.configure({ ...PCMU, codec: 'PCMA', payloadType: 8 });
    bridged.play(all, 5);
    expect(bridged.leg.counters.malformed).toBe(5);
    bridged.leg.configure(PCMU);
    bridged.play(all, 10);
    expect(tonesIn(bridged.play(all, 30)[0]!, 1)).toEqual([0]);
  });

  it('counts what its sources lost, also those that have gone', async () => {
    const bridged = await Bridged.open();
    const [stream] = streams(1) as [PacketStream];
    const lossy = (tick: number) => [stream.next()].filter(() => tick % 10 !== 5);
    bridged.playPackets(lossy, 50);
    bridged.wait(500);
    expect(bridged.leg.counters).toMatchObject({ lost: 5, packetsReceived: 45 });
    bridged.wait(11_000);
    expect(bridged.leg.counters.lost).toBe(5);
  });

  it('sends a packet per tick and rings the doorbell, until the bridge thread is behind', async () => {
    const bridged = await Bridged.open();
    const doorbell = new Int32Array(bridged.rings.doorbell);
    const frame = new Int16Array(ROOM_HZ / 50).fill(1_000);
    /** Returns how many of the ticks rang. */
    const push = (ticks: number) => {
      let rung = 0;
      for (let tick = 0; tick < ticks; tick++) {
        bridged.tick();
        bridged.leg.push(frame, true);
        rung += Atomics.exchange(doorbell, 0, 0);
      }
      return rung;
    };
    expect(push(10)).toBe(10);
    const sent = bridged.takeSent();
    expect(sent).toHaveLength(10);
    for (const [i, packet] of sent.entries()) {
      expect((packet.sequenceNumber - sent[0]!.sequenceNumber) & 0xffff).toBe(i);
      expect((packet.timestamp - sent[0]!.timestamp) >>> 0).toBe(160 * i);
      expect(packet.payloadLength).toBe(160);
    }
    const rung = push(50);
    const { packetsSent, unsent } = bridged.leg.counters;
    expect(unsent).toBeGreaterThan(0);
    expect(packetsSent + unsent).toBe(60);
    expect(10 + rung).toBe(packetsSent);
    bridged.leg.configure({ ...PCMU, sending: false });
    bridged.takeSent();
    bridged.leg.push(frame, true);
    expect(bridged.takeSent()).toEqual([]);
  });

  it('continues its own stream when it is reopened', async () => {
    const bridged = await Bridged.open();
    const frame = new Int16Array(ROOM_HZ / 50);
    bridged.leg.push(frame, true);
    bridged.leg.close();
    vi.advanceTimersByTime(400);
    await bridged.reopen();
    bridged.tick();
    bridged.leg.push(frame, true);
    const [last, first] = bridged.takeSent() as [RtpPacket, RtpPacket];
    expect(first.ssrc).toBe(last.ssrc);
    expect(first.sequenceNumber).toBe((last.sequenceNumber + 1) & 0xffff);
    expect((first.timestamp - last.timestamp) >>> 0).toBeGreaterThanOrEqual(400 * 8);
  });
});

describe('a leg that tells speakers apart by CSRC', () => {
  it('follows a speaker from stream to stream', async () => {
    const bridged = await Bridged.open('csrc');
    const [one, other] = streams(2) as [PacketStream, PacketStream];
    const heard = bridged.playPackets(() => [one.next([71]), other.next([72])], 30);
    // What is still buffered of the first stream is dropped.
    bridged.playPackets(() => [one.next([72]), other.next([71])], 1);
    const moved = bridged.playPackets(() => [one.next([72]), other.next([71])], 30);
    expect(bridged.voices).toEqual([71, 72]);
    expect(heard.slice(0, 2).map((samples) => tonesIn(samples, 2))).toEqual([[0], [1]]);
    expect(moved.slice(0, 2).map((samples) => tonesIn(samples, 2))).toEqual([[1], [0]]);
  });

  it('does not count the packets of other speakers in a stream as lost', async () => {
    const bridged = await Bridged.open('csrc');
    const [stream] = streams(1) as [PacketStream];
    for (let turn = 0; turn < 4; turn++) bridged.playPackets(() => [stream.next([71 + (turn % 2)])], 40);
    expect(bridged.voices).toEqual([71, 72]);
    expect(bridged.leg.counters).toMatchObject({ lost: 0, late: 0, packetsReceived: 160 });
  });

  it('takes the first CSRC, and the SSRC of a packet without any', async () => {
    const bridged = await Bridged.open('csrc');
    const [stream] = streams(1) as [PacketStream];
    bridged.playPackets(() => [stream.next([0xffff_ffff, 42])], 5);
    bridged.playPackets(() => [stream.next()], 5);
    expect(bridged.voices).toEqual([0xffff_ffff, stream.ssrc]);
  });
});
