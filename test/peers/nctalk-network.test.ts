import { createSocket } from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import type { NetworkFaults } from '../fakes/discord/voice/udp-faults.ts';
import { Janus } from '../support/janus.ts';
import { ownAddress } from '../support/own-address.ts';
import { requirePeer } from '../support/require-peer.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { ROOM_RATE_HZ, TalkCall } from '../support/talk-call.ts';
import { TalkRoom } from '../support/talk-room.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { HEARD_RATE_HZ } from '../support/webrtc-people.ts';

const retry = retryAudio();

const ANNA_HZ = 440;
const AGENT_HZ = 1_300;
const CLEAR_DB = 20;
const BAD_NETWORK = { seed: 5, loss: 0.05, jitterMs: 60 };
const SECONDS = 10;
/** Of 500 packets, 25 are lost. Each may be heard, and the place where the jitter buffer makes up for it. */
const MOST_BREAKS = 60;
const STRANGE_PACKETS = 20_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function meet(network: NetworkFaults) {
  const janus = await Janus.start();
  closers.push(() => janus.stop());
  const call = await TalkCall.open(AGENT_HZ);
  closers.push(() => call.close());
  const room = await TalkRoom.open(janus, network);
  closers.push(() => room.close());
  await room.enter('anna', ANNA_HZ);
  await room.openTransport(call.bridges, call.rings);
  await room.publish();
  await Promise.all([room.subscribe('anna'), room.listen('listener')]);
  return { call, room };
}

describe.skipIf(requirePeer('janus'))('a call of Nextcloud Talk', () => {
  it('is understood with 5 % loss and 60 ms jitter', { retry }, async () => {
    const { call, room } = await meet(BAD_NETWORK);
    const [heard, said] = await Promise.all([
      call.hear(room.streamOf('anna'), SECONDS),
      room.people.hear('listener', SECONDS * 1_000),
    ]);
    expect(analyzeTone(heard, ROOM_RATE_HZ, ANNA_HZ).snrDb).toBeGreaterThan(CLEAR_DB / 2);
    expect(findToneBreaks(heard, ROOM_RATE_HZ, ANNA_HZ).length).toBeLessThan(MOST_BREAKS);
    expect(analyzeTone(said, HEARD_RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(CLEAR_DB / 2);
  });

  it('goes on whatever strangers and the network send to its sockets', { retry }, async () => {
    const { call, room } = await meet({ seed: 1 });
    const random = new SeededRandom(7);
    const stranger = createSocket('udp4');
    closers.push(() => stranger.close());
    const ports = room.agentPorts;
    expect(ports.length).toBeGreaterThan(1);
    for (let i = 0; i < STRANGE_PACKETS; i++) {
      const packet = strangePacket(random);
      for (const port of ports) stranger.send(packet, port, ownAddress());
      for (const detour of room.detours) detour.inject(strangePacket(random));
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const heard = await call.hear(room.streamOf('anna'), 2);
    expect(analyzeTone(heard, ROOM_RATE_HZ, ANNA_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
    const said = await room.people.hear('listener', 2_000);
    expect(analyzeTone(said, HEARD_RATE_HZ, AGENT_HZ).snrDb).toBeGreaterThan(CLEAR_DB);
    expect([room.lost, call.faults]).toEqual([[], []]);
  });
});

/** First bytes that make a packet look like STUN, DTLS, TURN, RTP, RTCP or nothing (RFC 7983). */
const KINDS = [0x00, 0x01, 0x14, 0x15, 0x16, 0x17, 0x40, 0x80, 0x90, 0xb0, 0xff];
const STUN_COOKIE = 0x2112a442;
const LONGEST = 60_000;

function strangePacket(random: SeededRandom): Buffer {
  const isHuge = random.chance(0.01);
  const packet = Buffer.alloc(Math.floor(random.next() * (isHuge ? LONGEST : 300)));
  for (let at = 0; at < Math.min(packet.length, 400); at++) packet[at] = Math.floor(random.next() * 256);
  if (packet.length === 0) return packet;
  packet[0] = KINDS[Math.floor(random.next() * KINDS.length)]!;
  if (packet[0] < 4 && packet.length >= 20) {
    packet.writeUInt16BE(packet.length - 20, 2);
    packet.writeUInt32BE(STUN_COOKIE, 4);
  }
  if (packet[0] >= 0x14 && packet[0] < 0x40 && packet.length >= 13) {
    packet.writeUInt16BE(0xfefd, 1);
    packet.writeUInt16BE(Math.floor(random.next() * 2), 3);
    packet.writeUInt16BE(packet.length - 13, 11);
  }
  return packet;
}
