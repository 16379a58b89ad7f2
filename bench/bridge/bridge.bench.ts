import { join } from 'node:path';
import { LATENESS_BOUNDS_MS } from '../../src/threads/engine-stats.ts';
import { claimRtpPorts } from '../../test/support/free-ports.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { MeasuringProgram } from '../measuring-program.ts';
import { type Histogram, quantileOf } from '../metrics-histogram.ts';
import { median } from '../report/statistics.ts';
import { delayMeasure, measureRounds } from '../rounds.ts';
import { takesMs, watchStalls } from '../stalls/stalls.ts';
import { showTails, tailMeasures, type WatchedRound } from '../stalls/tail-measures.ts';
import type { BesideOrder, BesideResult } from './beside-program.ts';
import type { BridgedKind } from './bridged-call.ts';
import type { CrossingOrder, CrossingResult } from './crossing-program.ts';
import { DISTURBANCES, type Spell } from './disturbances.ts';

/** All that one bridge thread holds. */
const CALLS = 100;
const PHONE_CALLS = 50;
const START_S = 15;
/** The last 10 s count: before, V8 compiles. */
const CROSSING_S = 22;
/** A longer start leaves the end unwatched. */
const USUAL_START_S = 3;
const SETTLE_S = 2;
const KINDS = ['packets', 'pcm'] as const satisfies BridgedKind[];
const INWARD_MS = 22;
const OUTWARD_MS = 2;
const SHARES = { p99: 0.99, 'p99.9': 0.999 } as const;
/** One step of the histogram: ten bounds per decade. */
const ONE_STEP = 1.3;

type CrossingRound = CrossingResult & WatchedRound;

export const bridgeBench: Bench = {
  name: 'bridge',
  title: `${CALLS} calls over bridge threads; bridge threads lost beside ${PHONE_CALLS} RTP calls`,
  async run(context) {
    const measures: Measure[] = [];
    for (const kind of KINDS) measures.push(...crossingMeasures(kind, await crossingRounds(context, kind)));
    return [...measures, ...besideMeasures(await beside(context))];
  },
};

async function crossingRounds(context: BenchContext, kind: BridgedKind): Promise<CrossingRound[]> {
  const order: CrossingOrder = { kind, calls: CALLS, seconds: CROSSING_S };
  const measure = async () => {
    const watching = watchStalls(context.cores, CROSSING_S + USUAL_START_S);
    const result = await run<CrossingResult>(context, 'crossing-program.ts', order, CROSSING_S);
    return { ...result, stalls: await watching };
  };
  return measureRounds(context, measure, (round) => `${kind}: ${describe(round)}`);
}

function crossingMeasures(kind: BridgedKind, rounds: readonly CrossingRound[]): Measure[] {
  const by = kind === 'pcm' ? 'by PCM' : 'by packets';
  const inward = { name: `bridge → room ${by}`, passages: ({ inward }: CrossingRound) => inward };
  const outward = { name: `room → bridge ${by}`, passages: ({ outward }: CrossingRound) => outward };
  const note = `${CALLS} calls, ${median(rounds.map(({ cores }) => cores)).toFixed(2)} cores`;
  const middle = ({ name, passages }: typeof inward) =>
    delayMeasure(rounds, { name, values: (round) => takesMs(passages(round)), share: 0.5, note });
  return [
    middle(inward),
    ...tailMeasures(rounds, { ...inward, atMost: INWARD_MS }),
    middle(outward),
    ...tailMeasures(rounds, { ...outward, atMost: OUTWARD_MS }),
  ];
}

async function beside(context: BenchContext): Promise<BesideResult> {
  const claim = await claimRtpPorts(2 * PHONE_CALLS);
  const generator = Generator.start(context.cores.generators);
  try {
    const phones = await generator.openPhones(PHONE_CALLS);
    const legs = phones.map((remotePort, i) => ({ rtpPort: claim.first + 2 * i, remotePort }));
    for (const [phone, { rtpPort }] of legs.entries()) generator.call(phone, '127.0.0.1', rtpPort);
    const seconds = context.quick ? 4 : 6;
    const order: BesideOrder = { legs, bridged: CALLS, seconds, rounds: context.rounds };
    const spells = 2 * DISTURBANCES.length * (context.rounds + 1);
    const result = await run<BesideResult>(
      context,
      'beside-program.ts',
      order,
      spells * (seconds + 2 * SETTLE_S),
    );
    context.progress(`beside: ${Object.entries(result).map(describeBeside).join('; ')}`);
    return result;
  } finally {
    generator.stop();
    claim.release();
  }
}

function besideMeasures(result: BesideResult): Measure[] {
  return DISTURBANCES.flatMap((disturbance) => [
    latenessMeasure(result, disturbance, 'p99'),
    latenessMeasure(result, disturbance, 'p99.9'),
  ]);
}

function latenessMeasure(result: BesideResult, disturbance: Spell, name: keyof typeof SHARES): Measure {
  const values = (spell: Spell): number[] =>
    result[spell].map((counts) => quantileOf(histogramOf(counts), SHARES[name]));
  return {
    name: `tick lateness ${name} beside a bridge thread that is ${disturbance}`,
    unit: 'ms',
    ours: values(disturbance),
    anchor: { name: 'left alone', values: values('none') },
    target: { atMost: ONE_STEP },
  };
}

/** Runs a program of this folder on the gateway's core. Returns the JSON that it prints. */
async function run<Result>(
  { cores }: BenchContext,
  program: string,
  order: CrossingOrder | BesideOrder,
  seconds: number,
): Promise<Result> {
  const command = [...cores.gateway, process.execPath, join(import.meta.dirname, program)];
  const [line = ''] = await new MeasuringProgram([...command, JSON.stringify(order)], seconds + START_S)
    .lines;
  return JSON.parse(line) as Result;
}

/** The cumulative histogram of the engine's counts. */
function histogramOf(counts: readonly number[]): Histogram {
  let below = 0;
  const cumulative = counts.map((count) => {
    below += count;
    return below;
  });
  return { bounds: [...LATENESS_BOUNDS_MS, Number.POSITIVE_INFINITY], counts: cumulative };
}

function describe(round: CrossingRound): string {
  const { inward, outward, dropped, cores } = round;
  const delays = `in ${showTails(inward, round)}, out ${showTails(outward, round)} ms (p50/p99)`;
  return `${delays}, ${dropped} frames dropped, ${cores.toFixed(2)} cores`;
}

function describeBeside([disturbance, rounds]: [string, readonly (readonly number[])[]]): string {
  const sum = histogramOf(
    (rounds[0] ?? []).map((_, i) => rounds.reduce((all, counts) => all + (counts[i] ?? 0), 0)),
  );
  const shown = [0.5, 0.99, 0.999].map((share) => quantileOf(sum, share).toFixed(2));
  return `${disturbance} ${shown.join('/')} ms`;
}
