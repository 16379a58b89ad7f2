import { onTestFinished } from 'vitest';
import type { G711Name } from '../../../src/rtp/rtp-protocol.ts';
import { Tone } from '../../support/tone.ts';
import { RtpPeer, TestLeg, turn, until } from './rtp-peer.ts';

/** Closes `each` at the end of the test. */
export function closing<T extends { close(): void }>(each: T): T {
  onTestFinished(() => each.close());
  return each;
}

export async function pair(): Promise<{ peer: RtpPeer; test: TestLeg }> {
  const peer = closing(await RtpPeer.start());
  const test = await TestLeg.open();
  closing(test.leg);
  return { peer, test };
}

export interface Speech {
  readonly codec?: G711Name;
  readonly payloadType?: number;
  readonly packetMs?: number;
  /** How many copies of the packet with this index arrive. */
  readonly copies?: (index: number) => number;
  /** Swaps neighbours: packets `2n` and `2n + 1` arrive in reverse order. */
  readonly swapped?: boolean;
}

/** The peer sends a 440 Hz tone for `ticks` frames, one pull after each 20 ms; returns what the leg heard. */
export async function hear(
  peer: RtpPeer,
  test: TestLeg,
  ticks: number,
  speech: Speech = {},
): Promise<Int16Array> {
  const { codec = 'PCMU', payloadType = 0, packetMs = 20, copies = () => 1, swapped = false } = speech;
  const tone = new Tone(440, 8_000, 0.5);
  const samples = new Int16Array(packetMs * 8);
  const packets = Array.from({ length: (ticks * 20) / packetMs }, () => {
    tone.fill(samples);
    return peer.build(codec, payloadType, samples);
  });
  if (swapped)
    for (let i = 0; i + 1 < packets.length; i += 2) packets.splice(i, 2, packets[i + 1]!, packets[i]!);
  const heard: number[] = [];
  let sent = 0;
  let due = arrived(test);
  for (let tick = 0; tick < ticks; tick++) {
    for (; sent * packetMs < (tick + 1) * 20 && sent < packets.length; sent++) {
      for (let copy = copies(sent); copy > 0; copy--, due++) await peer.send(packets[sent]!, test.port);
    }
    await until(() => arrived(test) >= due, `datagram ${due}`);
    const frame = test.pull();
    if (frame !== null) heard.push(...frame);
  }
  return Int16Array.from(heard);
}

/** Datagrams that the leg has processed, accepted or not. */
export function arrived(test: TestLeg): number {
  const { packetsReceived, malformed, unauthentic, strangers } = test.leg.counters;
  return packetsReceived + malformed + unauthentic + strangers;
}

/** Pushes `ticks` frames of silence and lets the event loop turn in between. */
export async function pushSilence(test: TestLeg, ticks: number): Promise<void> {
  test.frame.fill(0);
  for (let i = 0; i < ticks; i++) {
    test.leg.push(test.frame, false);
    await turn();
  }
}
