import { describe, expect, it } from 'vitest';
import { fitSine } from '../../support/tone-analysis.ts';
import { arrived, hear, pair } from './leg-pair.ts';
import { type RtpPeer, type TestLeg, turn, until } from './rtp-peer.ts';

/** Sends from another stream of the same address, with its own numbers. */
async function beside(peer: RtpPeer, test: TestLeg, ssrc: number, send: () => Buffer): Promise<void> {
  const { sequence, timestamp, ssrc: own } = peer;
  Object.assign(peer, { ssrc, sequence: sequence + 30_000, timestamp: timestamp + 1_000_000 });
  const packet = send();
  Object.assign(peer, { ssrc: own, sequence, timestamp });
  const due = arrived(test) + 1;
  await peer.send(packet, test.port);
  await until(() => arrived(test) >= due, 'a packet of another stream');
}

describe('several streams from one address', () => {
  it.each<[string, (peer: RtpPeer) => Buffer]>([
    ['comfort noise', (peer) => peer.buildRaw(13, Buffer.from([60]), peer.timestamp)],
    ['audio', (peer) => peer.build('PCMU', 0, new Int16Array(160))],
    ['a type that nobody agreed on', (peer) => peer.buildRaw(120, Buffer.alloc(40), peer.timestamp)],
  ])('%s beside the voice does not disturb it', async (_, packet) => {
    const { peer, test } = await pair();
    test.configure(peer);
    const heard: number[] = [];
    for (let i = 0; i < 60; i++) {
      heard.push(...(await hear(peer, test, 1)));
      if (i > 2) await beside(peer, test, 77, () => packet(peer));
    }
    expect(heard.length).toBeGreaterThan(55 * 160);
    expect(test.leg.counters).toMatchObject({ lost: 0, concealed: 0, late: 0, duplicate: 0 });
  });

  it('another one that follows the voice is heard after 60 ms', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await hear(peer, test, 20);
    Object.assign(peer, { ssrc: 99, sequence: 5, timestamp: 9 });
    const heard = await hear(peer, test, 40);
    expect(heard.length).toBeGreaterThan(30 * 160);
    expect(fitSine(heard.subarray(10 * 160), 8_000, 440).snrDb).toBeGreaterThan(30);
  });

  it('a short burst beside the voice does not take its place', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await hear(peer, test, 20);
    await beside(peer, test, 99, () => peer.build('PCMU', 0, new Int16Array(160)));
    await beside(peer, test, 99, () => peer.build('PCMU', 0, new Int16Array(160)));
    const heard = await hear(peer, test, 20);
    expect(heard.length).toBe(20 * 160);
    expect(test.leg.counters.concealed).toBe(0);
  });
});

describe('what shows that the peer is there', () => {
  /** Several times as long as a machine with much to do stalls. */
  const TIMEOUT = { mediaTimeoutMs: 400 };

  it.each<[string, (peer: RtpPeer, test: TestLeg) => Promise<void>]>([
    [
      'an RTCP report from its RTCP port',
      (peer, test) => peer.sendReport(Buffer.from('80c90001abcd0001', 'hex'), test.port + 1),
    ],
    ['one on its RTP port', (peer, test) => peer.send(Buffer.from('80c90001abcd0001', 'hex'), test.port)],
    ['RTP of an unknown type', (peer, test) => peer.send(peer.buildRaw(35, Buffer.alloc(8), 0), test.port)],
    [
      'RTP of a known type and no use',
      (peer, test) => peer.send(peer.buildRaw(0, Buffer.alloc(0), 0), test.port),
    ],
    ['comfort noise', (peer, test) => peer.send(peer.buildRaw(13, Buffer.from([60]), 0), test.port)],
    [
      'a STUN indication',
      (peer, test) => peer.send(Buffer.from('001100002112a442000102030405060708090a0b', 'hex'), test.port),
    ],
    ['an empty line', (peer, test) => peer.send(Buffer.from('\r\n'), test.port)],
  ])('%s', async (_, send) => {
    const { peer, test } = await pair();
    test.configure(peer, TIMEOUT);
    await hear(peer, test, 2);
    const from = performance.now();
    let sentAt = 0;
    await until(
      () => performance.now() - from > 600,
      '600 ms',
      async () => {
        if (performance.now() - sentAt > 40) {
          sentAt = performance.now();
          await send(peer, test);
        }
        await turn();
        test.pull();
      },
    );
    expect(test.events.filter(({ type }) => type === 'stalled')).toEqual([]);
    const isStalled = () => {
      test.pull();
      return test.events.some(({ type }) => type === 'stalled');
    };
    await until(isStalled, 'stalled in silence');
  });
});
