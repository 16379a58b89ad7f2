import { describe, expect, it } from 'vitest';
import { MEDIA_MEMORY_BYTES } from '../../../src/media/media-leg.ts';
import { RtpPacket } from '../../../src/rtp/rtp-packet.ts';
import type { SrtpKeys } from '../../../src/rtp/rtp-protocol.ts';
import { RtpState } from '../../../src/rtp/rtp-state.ts';
import { SrtpSession } from '../../../src/rtp/srtp/srtp.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';
import { closing, hear, pair } from './leg-pair.ts';
import { type RtpPeer, TestLeg, until } from './rtp-peer.ts';

const OURS = Buffer.from(Array.from({ length: 30 }, (_, i) => i + 1));
const THEIRS = Buffer.from(Array.from({ length: 30 }, (_, i) => 200 - i));
const KEYS: SrtpKeys = { suite: 'AES_CM_128_HMAC_SHA1_80', localKey: OURS, remoteKey: THEIRS };

/** Gives a peer the matching keys. */
function secure(peer: RtpPeer): void {
  const memory = new RtpState(new SharedArrayBuffer(MEDIA_MEMORY_BYTES));
  peer.ssrc = memory.localSsrc;
  const session = new SrtpSession({ ...KEYS, localKey: THEIRS, remoteKey: OURS }, memory);
  const packet = new RtpPacket();
  peer.seal = (plain) => {
    const room = Buffer.concat([plain, Buffer.alloc(14)]);
    return room.subarray(0, session.protectRtp(room, plain.length, plain.readUInt16BE(2)));
  };
  peer.open = (sealed) => {
    if (!packet.read(sealed, 0, sealed.length) || !session.unprotectRtp(packet))
      throw new Error('the leg sent a packet that does not verify');
    return sealed.subarray(0, packet.payloadOffset + packet.payloadLength);
  };
}

describe('a call with SRTP', () => {
  it('carries a tone both ways', async () => {
    const { peer, test } = await pair();
    secure(peer);
    test.configure(peer, { srtp: KEYS });
    const tone = new Tone(1_000, 8_000, 0.5);
    for (let i = 0; i < 30; i++) test.pushTone(tone);
    await until(() => peer.packets.length === 30, '30 packets');
    expect(fitSine(peer.audio('PCMU', 0), 8_000, 1_000).snrDb).toBeGreaterThan(30);
    expect(fitSine(await hear(peer, test, 30), 8_000, 440).snrDb).toBeGreaterThan(30);
    expect(test.leg.counters.unauthentic).toBe(0);
  });

  it('ignores unauthentic packets, and does not latch to their source', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { srtp: KEYS });
    expect((await hear(peer, test, 5)).length).toBe(0);
    expect(test.leg.counters.unauthentic).toBe(5);
    expect(test.events).toEqual([]);
  });

  it('continues on another worker without the peer noticing', async () => {
    const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
    const former = await TestLeg.open(memory);
    const { peer } = await pair();
    secure(peer);
    peer.sequence = 65_500;
    former.configure(peer, { srtp: KEYS });
    await hear(peer, former, 20);
    former.pushTone(new Tone(1_000, 8_000, 0.5));
    former.leg.close();
    const next = await TestLeg.open(memory, former.port);
    closing(next.leg);
    next.configure(peer, { srtp: KEYS });
    expect((await hear(peer, next, 15)).length).toBeGreaterThan(9 * 160);
    expect(next.leg.counters.unauthentic).toBe(0);
    next.pushTone(new Tone(1_000, 8_000, 0.5));
    await until(() => peer.packets.length === 2, 'both packets verify');
  });
});
