import { afterEach, describe, expect, it } from 'vitest';
import { Tone } from '../../../../../src/audio/tone.ts';
import type { SipCodec } from '../../../../../src/connectors/sip/media-protocol.ts';
import { toneSnrDb } from '../../../audio/tone-analysis.ts';
import { RtpPeer, TestLeg, until } from './rtp-peer.ts';

const open: { close(): void }[] = [];

async function pair(): Promise<{ peer: RtpPeer; test: TestLeg }> {
  const peer = await RtpPeer.start();
  const test = await TestLeg.open();
  open.push(peer, test.leg);
  return { peer, test };
}

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** Sends `count` packets of a tone, one for each frame pulled, as a steady peer does. */
async function hear(peer: RtpPeer, test: TestLeg, count: number, codec: SipCodec, packetMs = 20) {
  const tone = new Tone(440, 8_000, 0.5);
  const samples = new Int16Array(packetMs * 8);
  const heard: number[] = [];
  const before = test.leg.counters.packetsReceived;
  let sent = 0;
  for (let tick = 0; sent < count || tick * 20 < count * packetMs; tick++) {
    while (sent < count && sent * packetMs <= tick * 20) {
      tone.fill(samples);
      await peer.send(peer.build(codec, codec === 'PCMU' ? 0 : 8, samples), test.port);
      sent++;
    }
    const due = before + sent;
    await until(() => test.leg.counters.packetsReceived >= due, `packet ${due}`);
    const frame = test.pull();
    if (frame !== null) heard.push(...frame);
  }
  return Int16Array.from(heard);
}

describe.each<[SipCodec, number]>([
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
    expect(toneSnrDb(peer.audio(codec, payloadType), 1_000, 8_000)).toBeGreaterThan(30);
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
    const heard = await hear(peer, test, 50, codec);
    expect(heard.length).toBeGreaterThan(45 * 160);
    expect(toneSnrDb(heard, 440, 8_000)).toBeGreaterThan(30);
    expect(test.events).toEqual([{ type: 'flowing' }]);
    expect(test.failures).toEqual([]);
  });
});
