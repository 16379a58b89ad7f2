import type { BenchContext, Measure } from '../bench.ts';
import { readTicks } from '../calls/gateway-ticks.ts';
import { Generator } from '../generator/generator.ts';
import { difference, type Histogram, quantileOf } from '../metrics-histogram.ts';
import { BusyVendor, SPEECH } from './busy-vendor.ts';
import { HostedGateway } from './hosted-gateway.ts';

const SIP_CALLS = 50;
const HOSTED_CALLS = 50;
const SETTLE_MS = 3_000;
const SECONDS = 10;
const QUICK_SECONDS = 5;
const SHARES = { p99: 0.99, 'p99.9': 0.999 } as const;
/** One step of the histogram: ten bounds per decade. */
const ONE_STEP = 1.3;
const MS_PER_S = 1_000;

/** One round: the lateness of all ticks without hosted calls, and beside them. */
interface Round {
  readonly quiet: Histogram;
  readonly beside: Histogram;
}

/** How late the engine's ticks are beside hosted calls, in turns with spells without any. */
export async function ticksBesideSpeech(context: BenchContext): Promise<Measure[]> {
  const { cores, quick } = context;
  const vendor = await BusyVendor.start(cores);
  const generator = Generator.start(cores.generators);
  try {
    const hosted = await HostedGateway.start(cores, generator, vendor.url);
    try {
      await hosted.place(SIP_CALLS);
      await hosted.host();
      // What is new is compiled first.
      await besideHosted(hosted, 0);
      const rounds: Round[] = [];
      const seconds = quick ? QUICK_SECONDS : SECONDS;
      for (let round = 1; round <= context.rounds; round++) {
        const quiet = await ticksOf(hosted, seconds);
        rounds.push({ quiet, beside: await besideHosted(hosted, seconds) });
        context.progress(`ticks, round ${round}: ${describe(rounds.at(-1) as Round)}`);
      }
      return [measureOf(rounds, 'p99'), measureOf(rounds, 'p99.9')];
    } finally {
      await hosted.stop();
    }
  } finally {
    generator.stop();
    vendor.stop();
  }
}

async function besideHosted(hosted: HostedGateway, seconds: number): Promise<Histogram> {
  const callIds = await hosted.place(HOSTED_CALLS);
  for (const callId of callIds) await hosted.say(callId, SPEECH[0]);
  const ticks = await ticksOf(hosted, seconds);
  await hosted.hangUp(callIds);
  return ticks;
}

async function ticksOf({ gateway }: HostedGateway, seconds: number): Promise<Histogram> {
  await pause(SETTLE_MS);
  const { lateness } = await readTicks(gateway);
  await pause(seconds * MS_PER_S);
  return difference(lateness, (await readTicks(gateway)).lateness);
}

function measureOf(rounds: readonly Round[], name: keyof typeof SHARES): Measure {
  const values = (of: (round: Round) => Histogram): number[] =>
    rounds.map((round) => quantileOf(of(round), SHARES[name]) * MS_PER_S);
  return {
    name: `tick lateness ${name} of ${SIP_CALLS} SIP calls beside ${HOSTED_CALLS} hosted ones`,
    unit: 'ms',
    ours: values(({ beside }) => beside),
    anchor: { name: 'without hosted calls', values: values(({ quiet }) => quiet) },
    target: { atMost: ONE_STEP },
  };
}

function describe({ quiet, beside }: Round): string {
  const show = (ticks: Histogram): string =>
    Object.values(SHARES)
      .map((share) => (quantileOf(ticks, share) * MS_PER_S).toFixed(2))
      .join('/');
  return `without ${show(quiet)}, beside ${show(beside)} ms (p99/p99.9)`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
