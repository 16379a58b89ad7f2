/**
 * Child process: RTP calls to telephones beside calls over one bridge thread, which is killed, stalled and flooded, in
 * turns, and left alone before each of these. Argument: JSON, see BesideOrder. Prints the lateness of the engine's ticks
 * as JSON, see BesideResult.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RTP_MEDIA } from '../../src/rtp/rtp-protocol.ts';
import { pcmuLeg } from '../pcmu-leg.ts';
import { BridgedCall } from './bridged-call.ts';
import { DISTURBANCES, type Spell } from './disturbances.ts';
import { EngineUnderTest } from './engine-under-test.ts';
import { ROOM_HZ } from './protocols.ts';

export interface BesideOrder {
  /** The RTP calls. */
  readonly legs: readonly { readonly rtpPort: number; readonly remotePort: number }[];
  /** Calls over the bridge thread. */
  readonly bridged: number;
  /** Of each spell: two per disturbance and round. */
  readonly seconds: number;
  readonly rounds: number;
}

/** Counts of late ticks in each round, by LATENESS_BOUNDS_MS. Those of the round's quiet spells are added up. */
export type BesideResult = Readonly<Record<Spell, readonly (readonly number[])[]>>;

const HOST = '127.0.0.1';
const SETTLE_MS = 2_000;
/** Of each disturbance, unmeasured: V8 compiles what a disturbance is the first to run. */
const WARM_UP_MS = 2_000;
/** A thread is found stalled after 2 s and replaced in some tenths of one. */
const KILL_EVERY_MS = 1_000;

const { legs, bridged, seconds, rounds }: BesideOrder = JSON.parse(process.argv[2] ?? '{}');
const under = await EngineUnderTest.start();
await Promise.all(legs.map(openPhoneCall));
const calls = await Promise.all(Array.from({ length: bridged }, () => BridgedCall.open(under, 'packets')));
const first = calls[0] as BridgedCall;
for (const disturbance of DISTURBANCES) await disturb(disturbance, performance.now() + WARM_UP_MS);
const result: Record<Spell, number[][]> = { none: [], killed: [], stalled: [], flooded: [] };
for (let round = 0; round < rounds; round++) {
  const quiet: number[][] = [];
  for (const disturbance of DISTURBANCES) {
    quiet.push(await measure('none'));
    result[disturbance].push(await measure(disturbance));
  }
  result.none.push(sum(quiet));
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());

async function openPhoneCall({ rtpPort, remotePort }: BesideOrder['legs'][number]): Promise<void> {
  const open = { bindHost: HOST, rtpPort, sampleRateHz: ROOM_HZ, bound: null };
  const leg = await under.place().media.open(RTP_MEDIA, open, () => {});
  await leg.configure(pcmuLeg(HOST, remotePort));
}

async function measure(spell: Spell): Promise<number[]> {
  await sleep(SETTLE_MS);
  const before = latenessCounts();
  await disturb(spell, performance.now() + seconds * 1_000);
  return latenessCounts().map((count, i) => count - (before[i] ?? 0));
}

function sum(spells: readonly (readonly number[])[]): number[] {
  return spells.reduce<number[]>((all, counts) => counts.map((count, i) => count + (all[i] ?? 0)), []);
}

function latenessCounts(): readonly number[] {
  return under.engine.report().total.latenessCounts;
}

/** Disturbs the bridge thread until then. */
async function disturb(spell: Spell, untilMs: number): Promise<void> {
  const leftMs = (): number => untilMs - performance.now();
  switch (spell) {
    case 'none':
      await sleep(leftMs());
      return;
    case 'killed':
      for (; leftMs() > 0; await sleep(Math.min(KILL_EVERY_MS, Math.max(0, leftMs()))))
        await first.run('exit');
      return;
    case 'stalled':
      // Returns when the thread has been stopped.
      for (; leftMs() > 0; await sleep(KILL_EVERY_MS)) await first.run('stall');
      return;
    case 'flooded':
      await Promise.all(calls.map((call) => call.flood(leftMs())));
  }
}
