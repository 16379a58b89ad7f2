import { expect, it } from 'vitest';
import { closing, hear, pair, pushSilence } from './leg-pair.ts';
import { TestLeg, until } from './rtp-peer.ts';

const NOWHERE = { remoteHost: null, remotePort: 0, remoteRtcpPort: 0 } as const;

it('sends nothing until the peer has spoken, then to where the peer is', async () => {
  const { peer, test } = await pair();
  test.configure(peer, NOWHERE);
  await pushSilence(test, 10);
  expect(test.leg.counters).toMatchObject({ packetsSent: 0, unsent: 0 });
  // Another description with a disallowed address changes nothing.
  test.configure(peer, NOWHERE);
  await hear(peer, test, 10);
  await pushSilence(test, 3);
  await until(() => peer.packets.length >= 3, 'audio at the peer');
  expect(test.failures).toEqual([]);
});

it('keeps sending to where the peer was heard, on another engine thread', async () => {
  const { peer, test } = await pair();
  test.configure(peer, NOWHERE);
  await hear(peer, test, 10);
  test.leg.close();
  const moved = await TestLeg.open(test.memory, test.port);
  closing(moved.leg);
  moved.configure(peer, NOWHERE);
  const before = peer.packets.length;
  await pushSilence(moved, 3);
  await until(() => peer.packets.length >= before + 3, 'audio at the peer');
});
