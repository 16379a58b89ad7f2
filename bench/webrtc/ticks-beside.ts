import { setTimeout as sleep } from 'node:timers/promises';
import { LATENESS_BOUNDS_MS } from '../../src/threads/engine-stats.ts';
import { claimRtpPorts } from '../../test/support/free-ports.ts';
import { Janus } from '../../test/support/janus.ts';
import type { BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { Histogram } from '../metrics-histogram.ts';
import { measureRounds } from '../rounds.ts';
import { describeTicks, type TickRound, tickMeasures } from '../tick-spells.ts';
import { AskedProgram } from './asked-program.ts';
import type { LegsOrders } from './legs-program.ts';
import type { PeopleOrders } from './people-program.ts';

const PHONE_CALLS = 300;
const LEGS = 2;
const PEOPLE = 3;
const SETTLE_MS = 3_000;
const SECONDS = 10;
const QUICK_SECONDS = 5;
const MS_PER_S = 1_000;

/** How late the engine's ticks are beside WebRTC legs that speak and listen, in turns with spells without any. */
export async function ticksBesideLegs(context: BenchContext): Promise<Measure[]> {
  const { cores } = context;
  const claim = await claimRtpPorts(2 * PHONE_CALLS);
  const generator = Generator.start(cores.generators);
  const janus = await Janus.start(cores.generators);
  const people = new AskedProgram<PeopleOrders>('people-program', cores.generators);
  const legs = new AskedProgram<LegsOrders>('legs-program', cores.gateway);
  try {
    const phones = await generator.openPhones(PHONE_CALLS);
    const calls = phones.map((remotePort, i) => ({ rtpPort: claim.first + 2 * i, remotePort }));
    for (const [phone, { rtpPort }] of calls.entries()) generator.call(phone, '127.0.0.1', rtpPort);
    await legs.ask('phone', calls);
    const room = await people.ask('open', janus.url, PEOPLE);
    const seconds = context.quick ? QUICK_SECONDS : SECONDS;
    const beside = async (): Promise<Histogram> => {
      await legs.ask('join', janus.url, room, LEGS, PEOPLE);
      const ticks = await ticksDuring(legs, seconds);
      await legs.ask('leave');
      return ticks;
    };
    // What is new is compiled first.
    await beside();
    const measure = async (): Promise<TickRound> => ({
      quiet: await ticksDuring(legs, seconds),
      beside: await beside(),
    });
    const rounds = await measureRounds(context, measure, describeTicks);
    const of = `${PHONE_CALLS} SIP calls beside ${LEGS} WebRTC legs with 1 + ${PEOPLE} streams`;
    return tickMeasures(rounds, { of, without: 'without WebRTC legs' });
  } finally {
    legs.stop();
    people.stop();
    generator.stop();
    await janus.stop();
    claim.release();
  }
}

async function ticksDuring(legs: AskedProgram<LegsOrders>, seconds: number): Promise<Histogram> {
  await sleep(SETTLE_MS);
  const before = await legs.ask('counted');
  await sleep(seconds * MS_PER_S);
  const after = await legs.ask('counted');
  return cumulative(after.latenessCounts.map((count, i) => count - (before.latenessCounts[i] ?? 0)));
}

/** Bounds in seconds, as of the gateway's metrics. */
function cumulative(counts: readonly number[]): Histogram {
  let below = 0;
  const sums = counts.map((count) => {
    below += count;
    return below;
  });
  return {
    bounds: [...LATENESS_BOUNDS_MS.map((ms) => ms / MS_PER_S), Number.POSITIVE_INFINITY],
    counts: sums,
  };
}
