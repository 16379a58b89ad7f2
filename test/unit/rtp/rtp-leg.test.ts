import { describe, expect, it } from 'vitest';
import { MEDIA_MEMORY_BYTES } from '../../../src/media/media-leg.ts';
import type { G711Name } from '../../../src/rtp/rtp-protocol.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { arrived, closing, hear, pair, pushSilence } from './leg-pair.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

describe.each<[G711Name, number]>([
  ['PCMU', 0],
  ['PCMA', 8],
])('a call in %s', (codec, payloadType) => {
  it('sends a tone on an even timeline', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { codec, payloadType });
    const tone = new Tone(1_000, 8_000, 0.5);
    for (let i = 0; i < 50; i++) test.pushTone(tone);
    await until(() => peer.packets.length === 50, '50 packets');
    const first = peer.packets[0]!;
    expect(fitSine(peer.audio(codec, payloadType), 8_000, 1_000).snrDb).toBeGreaterThan(30);
    peer.packets.forEach((packet, i) => {
      expect(packet.sequence).toBe((first.sequence + i) & 0xffff);
      expect(packet.timestamp).toBe((first.timestamp + i * 160) >>> 0);
      expect(packet.ssrc).toBe(first.ssrc);
      expect(packet.marker).toBe(i === 0);
    });
  });

  it('hears a tone', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { codec, payloadType });
    const heard = await hear(peer, test, 50, { codec, payloadType });
    expect(heard.length).toBeGreaterThan(45 * 160);
    expect(fitSine(heard, 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.events).toEqual([{ type: 'flowing' }]);
    expect(test.failures).toEqual([]);
  });

  it('keeps sending during silence, and marks the voice after it', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { codec, payloadType });
    await pushSilence(test, 3);
    const tone = new Tone(1_000, 8_000, 0.5);
    test.pushTone(tone);
    test.pushTone(tone);
    await until(() => peer.packets.length === 5, '5 packets');
    expect(peer.packets.map(({ marker }) => marker)).toEqual([false, false, false, true, false]);
    expect(
      peer
        .audio(codec, payloadType)
        .subarray(0, 480)
        .every((sample) => Math.abs(sample) <= 8),
    ).toBe(true);
  });
});

describe('a call over a lossy path', () => {
  it.each([10, 20, 30, 40, 60])('accepts packets of %i ms', async (packetMs) => {
    const { peer, test } = await pair();
    test.configure(peer);
    const heard = await hear(peer, test, 60, { packetMs });
    expect(heard.length).toBeGreaterThan(48 * 160);
    expect(fitSine(heard.subarray(0, 48 * 160), 8_000, 440).snrDb).toBeGreaterThan(30);
  });

  it('plays each packet once and in order', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const heard = await hear(peer, test, 60, { swapped: true, copies: (i) => (i % 5 === 0 ? 2 : 1) });
    expect(fitSine(heard.subarray(0, 50 * 160), 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.leg.counters).toMatchObject({ duplicate: 12, lost: 0 });
  });

  it('conceals lost packets', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const heard = await hear(peer, test, 100, { copies: (i) => (i % 10 === 5 ? 0 : 1) });
    expect(test.leg.counters.lost).toBeGreaterThanOrEqual(9);
    expect(test.leg.counters.concealed).toBeGreaterThanOrEqual(9);
    expect(fitSine(heard.subarray(0, 90 * 160), 8_000, 440).snrDb).toBeGreaterThan(12);
  });

  it('counts packets that are not RTP and continues', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const junk = [Buffer.alloc(0), Buffer.alloc(11, 0x80), Buffer.alloc(200), Buffer.alloc(200, 0xff)];
    const wrongType = peer.buildRaw(96, Buffer.alloc(160), 0);
    const tooLong = peer.buildRaw(0, Buffer.alloc(481), 0);
    for (const packet of [...junk, wrongType, tooLong]) await peer.send(packet, test.port);
    await until(() => arrived(test) === 6, 'six datagrams');
    expect(test.leg.counters.malformed).toBe(6);
    expect(test.events).toEqual([]);
    expect((await hear(peer, test, 20)).length).toBeGreaterThan(0);
    expect(test.failures).toEqual([]);
  });
});

describe('the peer’s address', () => {
  it('is where its packets come from', async () => {
    const { peer, test } = await pair();
    const elsewhere = closing(await RtpPeer.start());
    test.configure(elsewhere);
    await pushSilence(test, 1);
    await until(() => elsewhere.packets.length === 1, 'a packet to the signalled address');
    await hear(peer, test, 4);
    await pushSilence(test, 1);
    await until(() => elsewhere.packets.length === 2, 'another packet to the signalled address');
    await hear(peer, test, 1);
    await pushSilence(test, 1);
    await until(() => peer.packets.length === 1, 'a packet to the real address');
    expect(elsewhere.packets.length).toBe(2);
    expect(test.leg.counters).toMatchObject({ strangers: 4, packetsReceived: 1 });
  });

  it('is not taken over by a stranger after the peer falls silent', async () => {
    const { peer, test } = await pair();
    const stranger = closing(await RtpPeer.start());
    test.configure(peer);
    await hear(peer, test, 3);
    const silentAt = performance.now();
    await until(() => performance.now() - silentAt > 2_100, 'two seconds of silence');
    await hear(stranger, test, 10);
    await pushSilence(test, 1);
    await until(() => peer.packets.length === 1, 'a packet to the peer');
    expect(stranger.packets.length).toBe(0);
  });

  it('is not taken over by packets of another type or unproven source', async () => {
    const { peer, test } = await pair();
    const stranger = closing(await RtpPeer.start());
    test.configure(peer);
    for (let i = 0; i < 20; i++) {
      await stranger.send(stranger.buildRaw(101, Buffer.from([1, 10, 0, 160]), 160 * i), test.port);
      await stranger.send(stranger.buildRaw(13, Buffer.from([60]), 160 * i), test.port);
    }
    await until(() => test.leg.counters.strangers === 40, 'forty strangers');
    await pushSilence(test, 1);
    await until(() => peer.packets.length === 1, 'a packet to the peer');
    expect(stranger.packets.length).toBe(0);
  });

  it('is not taken over by a stranger', async () => {
    const { peer, test } = await pair();
    const stranger = closing(await RtpPeer.start());
    test.configure(peer);
    await hear(peer, test, 3);
    await stranger.send(stranger.build('PCMU', 0, new Int16Array(160)), test.port);
    await until(() => test.leg.counters.strangers === 1, 'a stranger');
    await pushSilence(test, 1);
    await until(() => peer.packets.length === 1, 'a packet to the peer');
    expect(stranger.packets.length).toBe(0);
  });

  it('may change by signaling, which reports `flowing` again', async () => {
    const { peer, test } = await pair();
    const next = closing(await RtpPeer.start());
    test.configure(peer);
    await hear(peer, test, 3);
    test.configure(next);
    test.configure(next);
    await hear(next, test, 3);
    expect(test.events).toEqual([{ type: 'flowing' }, { type: 'flowing' }]);
  });

  it('must be an IP address', async () => {
    const { peer, test } = await pair();
    expect(() => test.configure(peer, { remoteHost: 'phone.example' })).toThrow('IP address');
  });
});

describe('hold and silence', () => {
  it('hears and sends nothing on hold, and continues in time afterwards', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await pushSilence(test, 1);
    test.configure(peer, { sending: false, receiving: false, mediaTimeoutMs: 1 });
    expect((await hear(peer, test, 10)).length).toBe(0);
    const heldAt = performance.now();
    await until(() => performance.now() - heldAt > 300, '300 ms on hold');
    await pushSilence(test, 3);
    test.pull();
    expect(test.events).toEqual([{ type: 'flowing' }]);
    test.configure(peer);
    test.pushTone(new Tone(1_000, 8_000, 0.5));
    await until(() => peer.packets.length === 2, 'a packet after the hold');
    const [before, after] = peer.packets;
    expect(after!.sequence).toBe((before!.sequence + 1) & 0xffff);
    expect((after!.timestamp - before!.timestamp) >>> 0).toBeGreaterThan(260 * 8);
    expect(after!.marker).toBe(true);
    expect((await hear(peer, test, 20)).length).toBeGreaterThan(10 * 160);
  });

  it('reports a stall once, and again after packets had returned', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { mediaTimeoutMs: 50 });
    const isStalled = (times: number) => () => {
      test.pull();
      return test.events.filter(({ type }) => type === 'stalled').length === times;
    };
    await until(isStalled(1), 'stalled');
    await hear(peer, test, 1);
    await until(isStalled(2), 'stalled again');
    const stalled = test.events.at(-1)!;
    expect(stalled.type === 'stalled' && stalled.silentMs).toBeGreaterThanOrEqual(50);
  });
});

describe('opening and closing', () => {
  it('rejects with the system’s code when either port is in use, and leaves none open', async () => {
    const { peer, test } = await pair();
    await expect(TestLeg.open(undefined, test.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(TestLeg.open(undefined, test.port - 1)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    test.configure(peer);
    test.leg.close();
    test.leg.close();
    test.leg.push(test.frame, true);
    const again = await TestLeg.open(undefined, test.port);
    closing(again.leg);
  });

  it('continues the same session when it is reopened on its memory', async () => {
    const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
    const peer = closing(await RtpPeer.start());
    const signalled = closing(await RtpPeer.start());
    const former = await TestLeg.open(memory);
    former.configure(signalled);
    await hear(peer, former, 10);
    await pushSilence(former, 5);
    await until(() => peer.packets.length === 5, 'packets of the former leg');
    // A killed worker closes its sockets silently; here only the goodbye makes the difference.
    former.leg.close();
    const lostAt = performance.now();
    await until(() => performance.now() - lostAt > 200, 'the time that a change of workers takes');
    const next = await TestLeg.open(memory, former.port);
    closing(next.leg);
    next.configure(signalled);
    peer.sequence += 7;
    next.pushTone(new Tone(1_000, 8_000, 0.5));
    await until(() => peer.packets.length === 6, 'a packet of the next leg at the address found before');
    const [last, first] = [peer.packets[4]!, peer.packets[5]!];
    expect(first.ssrc).toBe(last.ssrc);
    expect(first.sequence).toBe((last.sequence + 1) & 0xffff);
    const elapsedSamples = (first.timestamp - last.timestamp) >>> 0;
    expect(elapsedSamples).toBeGreaterThanOrEqual(180 * 8);
    expect(elapsedSamples).toBeLessThan(2_000 * 8);
    expect(elapsedSamples % 160).toBe(0);
    const heard = await hear(peer, next, 30);
    expect(heard.length).toBeGreaterThan(24 * 160);
    expect(next.leg.counters.lost).toBe(7);
    expect(signalled.packets.length).toBe(0);
  });
});
