import { setTimeout as sleep } from 'node:timers/promises';
import { Janus } from '../../test/support/janus.ts';
import type { BenchContext, Measure } from '../bench.ts';
import { cpuSeconds, watchCores } from '../process-usage.ts';
import { measureRounds } from '../rounds.ts';
import { AskedProgram } from './asked-program.ts';
import type { LegsOrders } from './legs-program.ts';
import type { PeopleOrders } from './people-program.ts';
import type { WeriftOrders } from './werift-program.ts';

const SETTLE_MS = 5_000;
const SECONDS = 10;
const QUICK_SECONDS = 5;
const PERCENT = 100;
const MOST_LOST = 0.01;

/** A meeting: how many people each leg hears, how many legs, and how much of a core each may take. */
interface Size {
  readonly people: number;
  readonly legs: number;
  readonly mostPercent: number;
}

const SIZES: readonly Size[] = [
  { people: 3, legs: 4, mostPercent: 10 },
  { people: 9, legs: 2, mostPercent: 15 },
];

interface Round {
  readonly ours: number;
  readonly alone: number;
}

/** What a leg costs, decoding, mixing and encoding included, beside the library alone with the same connections. */
export async function legShare(context: BenchContext): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const size of SIZES) {
    const rounds = await measureRounds(
      context,
      async (): Promise<Round> => ({
        ours: await shareOf('legs-program', size, context),
        alone: await shareOf('werift-program', size, context),
      }),
      ({ ours, alone }) =>
        `1 + ${size.people}: ${ours.toFixed(1)} % of a core a leg, the library alone ${alone.toFixed(1)} %`,
    );
    measures.push(...measuresOf(size, rounds));
  }
  return measures;
}

function measuresOf({ people, mostPercent }: Size, rounds: readonly Round[]): Measure[] {
  const what = `a WebRTC leg with 1 + ${people} streams`;
  const ours = rounds.map((round) => round.ours);
  const alone = rounds.map((round) => round.alone);
  return [
    { name: `share of a core for ${what}`, unit: '%', ours, target: { atMost: mostPercent } },
    {
      name: `CPU of ${what}`,
      unit: '%',
      ours,
      anchor: { name: 'werift alone, which decodes nothing', values: alone },
    },
  ];
}

/** Share of a core for each leg, in percent. Everything is started afresh. */
async function shareOf(
  program: 'legs-program' | 'werift-program',
  size: Size,
  { cores, quick }: BenchContext,
): Promise<number> {
  const janus = await Janus.start(cores.generators);
  const people = new AskedProgram<PeopleOrders>('people-program', cores.generators);
  const legs = new AskedProgram<Pick<LegsOrders, 'join' | 'counted'> & WeriftOrders>(program, cores.gateway);
  try {
    const room = await people.ask('open', janus.url, size.people);
    await legs.ask('join', janus.url, room, size.legs, size.people);
    await sleep(SETTLE_MS);
    const before = await legs.ask('counted');
    const stopWatch = watchCores(() => cpuSeconds(legs.pid));
    await sleep((quick ? QUICK_SECONDS : SECONDS) * 1_000);
    const used = stopWatch();
    const after = await legs.ask('counted');
    const received = after.received - before.received;
    const lost = after.lost - before.lost;
    if (received === 0 || lost / received > MOST_LOST)
      throw new Error(`${program}: ${lost} of ${received} packets lost`);
    return (used * PERCENT) / size.legs;
  } finally {
    legs.stop();
    people.stop();
    await janus.stop();
  }
}
