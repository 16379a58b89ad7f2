import { join } from 'node:path';
import { LATENESS_BOUNDS_MS } from '../../src/threads/engine-stats.ts';
import { claimRtpPorts } from '../../test/support/free-ports.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { MeasuringProgram } from '../measuring-program.ts';
import { type Histogram, quantileOf } from '../metrics-histogram.ts';
import { quantile } from '../quantiles.ts';
import { median } from '../report/statistics.ts';
import type { BesideOrder, BesideResult } from './beside-program.ts';
import type { BridgedKind } from './bridged-call.ts';
import type { CrossingOrder, CrossingResult } from './crossing-program.ts';
import { DISTURBANCES, type Spell } from './disturbances.ts';

/** All that one bridge thread holds. */
const CALLS = 100;
const PHONE_CALLS = 50;
const START_S = 15;
/** The last 10 s count: the start is not measured. */
const CROSSING_S = 12;
const SETTLE_S = 2;
const KINDS = ['packets', 'pcm'] as const satisfies BridgedKind[];
const INWARD_MS = 22;
const OUTWARD_MS = 2;
const SHARES = { p99: 0.99, 'p99.9': 0.999 } as const;
/** One step of the histogram: ten bounds per decade. */
const ONE_STEP = 1.3;

export const bridgeBench: Bench = {
  name: 'bridge',
  title: `${CALLS} calls over bridge threads; bridge threads lost beside ${PHONE_CALLS} RTP calls`,
  async run(context) {
    const measures: Measure[] = [];
    for (const kind of KINDS) measures.push(...crossingMeasures(kind, await crossingRounds(context, kind)));
    return [...measures, ...besideMeasures(await beside(context))];
  },
};

async function crossingRounds(context: BenchContext, kind: BridgedKind): Promise<CrossingResult[]> {
  const results: CrossingResult[] = [];
  for (let round = 1; round <= context.rounds; round++) {
    const order: CrossingOrder = { kind, calls: CALLS, seconds: CROSSING_S };
    const result = await run<CrossingResult>(context, 'crossing-program.ts', order, CROSSING_S);
    results.push(result);
    context.progress(`${kind}, round ${round}: ${describe(result)}`);
  }
  return results;
}

function crossingMeasures(kind: BridgedKind, results: readonly CrossingResult[]): Measure[] {
  const by = kind === 'pcm' ? 'by PCM' : 'by packets';
  const each = (values: (result: CrossingResult) => readonly number[], share: number): number[] =>
    results.map((result) => quantile(values(result), share));
  const inward = ({ inwardMs }: CrossingResult) => inwardMs;
  const outward = ({ outwardMs }: CrossingResult) => outwardMs;
  const note = `${CALLS} calls, ${median(results.map(({ cores }) => cores)).toFixed(2)} cores`;
  return [
    { name: `bridge → room ${by}, p50`, unit: 'ms', ours: each(inward, 0.5), note: 'up to the tick' },
    {
      name: `bridge → room ${by}, p99`,
      unit: 'ms',
      ours: each(inward, 0.99),
      target: { atMost: INWARD_MS },
      note,
    },
    { name: `room → bridge ${by}, p50`, unit: 'ms', ours: each(outward, 0.5) },
    {
      name: `room → bridge ${by}, p99`,
      unit: 'ms',
      ours: each(outward, 0.99),
      target: { atMost: OUTWARD_MS },
      note,
    },
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

function describe({ inwardMs, outwardMs, dropped, cores }: CrossingResult): string {
  const show = (values: readonly number[]): string =>
    [0.5, 0.99].map((share) => quantile(values, share).toFixed(2)).join('/');
  return `in ${show(inwardMs)}, out ${show(outwardMs)} ms (p50/p99), ${dropped} frames dropped, ${cores.toFixed(2)} cores`;
}

function describeBeside([disturbance, rounds]: [string, readonly (readonly number[])[]]): string {
  const sum = histogramOf(
    (rounds[0] ?? []).map((_, i) => rounds.reduce((all, counts) => all + (counts[i] ?? 0), 0)),
  );
  const shown = [0.5, 0.99, 0.999].map((share) => quantileOf(sum, share).toFixed(2));
  return `${disturbance} ${shown.join('/')} ms`;
}
