/**
 * Child process: rooms of two telephones. The gateway's own engine clock, mixer and SIP media legs, put together for
 * the bench alone, because the API has no call between two telephones yet.
 * Argument: JSON, for each room its two legs: `[{ "rtpPort": 10000, "remotePort": 20000 }, …]`.
 */

import { frameSamples, SLOTS } from '../../src/base/frame.ts';
import { TickClock, type Ticking } from '../../src/engine/clock.ts';
import { Mixer, type Party } from '../../src/engine/mixer.ts';
import { PlatformLegParty } from '../../src/engine/platform-leg.ts';
import { TurnMeter } from '../../src/engine/turn-meter.ts';
import type { MediaLegHost } from '../../src/media/media-leg.ts';
import { MEDIA_MEMORY_BYTES } from '../../src/media/media-leg.ts';
import { mediaIo, rtpLegsOver, voiceCodecsFor } from '../../src/rtp/open-rtp-leg.ts';
import { EngineStats } from '../../src/threads/engine-stats.ts';
import { pcmuLeg } from '../pcmu-leg.ts';

interface BridgedLeg {
  readonly rtpPort: number;
  readonly remotePort: number;
}

const HOST = '127.0.0.1';
const SAMPLE_RATE_HZ = 8_000;

const io = mediaIo('auto');
const openLeg = rtpLegsOver(io, voiceCodecsFor(io.kind));
const stats = new EngineStats();
const mixer = new Mixer(frameSamples(SAMPLE_RATE_HZ));
/** The rooms of each slot. */
const slots: Party[][][] = Array.from({ length: SLOTS }, () => []);

const host: MediaLegHost = {
  emit: () => {},
  fail: (error) => {
    throw error;
  },
};

async function openParty({ rtpPort, remotePort }: BridgedLeg): Promise<Party> {
  const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
  const leg = await openLeg({ bindHost: HOST, rtpPort, sampleRateHz: 8_000, bound: null }, memory, host);
  leg.configure(pcmuLeg(HOST, remotePort));
  return new PlatformLegParty(leg, stats, new TurnMeter(() => {}));
}

const legs: readonly (readonly BridgedLeg[])[] = JSON.parse(process.argv[2] ?? '[]');
for (const [i, room] of legs.entries()) slots[i % SLOTS]?.push(await Promise.all(room.map(openParty)));
const ticking: Ticking = {
  isOccupied: (slot) => slots[slot]?.length !== 0,
  tick: (slot) => {
    io.receive();
    for (const room of slots[slot] ?? []) mixer.mix(room);
    io.send();
  },
  sleep: (milliseconds) => io.sleep(milliseconds),
};
new TickClock(stats, ticking).wake();
process.on('disconnect', () => process.exit());
process.send?.('ready');
