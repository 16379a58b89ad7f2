import { setPriority } from 'node:os';
import { RECEPTION_CONDITIONS } from '../../test/support/audio-quality/conditions.ts';
import type { NetworkCondition } from '../../test/support/audio-quality/network.ts';
import type { QualityScore } from '../../test/support/audio-quality/quality-score.ts';
import type { QualityCodec } from '../../test/support/audio-quality/sent-packets.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { quantile } from '../quantiles.ts';
import { median } from '../report/statistics.ts';
import type { Comparison } from './side-by-side.ts';

const CODECS = ['PCMU', 'G722', 'opus'] as const satisfies readonly QualityCodec[];
const SECONDS = 30;
const QUICK_SECONDS = 15;
const QUICK = /jitter to 60|spikes|loss of (10 %|20 % in bursts)$/u;
/** How much less than NetEq's our STOI may be. */
const STOI_MARGIN = 0.005;
/** A mean delay that is always good enough. */
const GOOD_DELAY_MS = 60;
/** From here on the machine was too busy to keep time, and NetEq's own thread was late as well. */
const LATE_MS = 10;

/** Nice value: packets have to leave on time beside whatever else the machine does. */
const PRECEDENCE = -15;

/** One codec under one condition. */
interface Case {
  readonly codec: QualityCodec;
  readonly condition: NetworkCondition;
}

/** What is heard of a phone through a bad network, beside libwebrtc. */
export const qualityBench: Bench = {
  name: 'quality',
  title: 'speech through bad networks, beside NetEq',
  run: measure,
};

async function measure(context: BenchContext): Promise<Measure[]> {
  takePrecedence();
  const conditions = RECEPTION_CONDITIONS.filter(({ name }) => !context.quick || QUICK.test(name));
  const rounds = context.quick ? 1 : context.rounds;
  const found: Comparison[] = [];
  // Calls mostly wait, so they run side by side, but by codec: libwebrtc plays all at the highest of their rates.
  for (let seed = 1; seed <= rounds; seed++)
    for (const codec of CODECS) found.push(...(await compareCalls(codec, conditions, seed, context)));
  return CODECS.flatMap((codec) =>
    conditions.flatMap((condition) => measuresOf({ codec, condition }, found)),
  );
}

/** The threads of libwebrtc inherit it. Where it is not allowed, the lateness says what the run is worth. */
function takePrecedence(): void {
  try {
    setPriority(PRECEDENCE);
  } catch {}
}

async function compareCalls(
  codec: QualityCodec,
  conditions: readonly NetworkCondition[],
  seed: number,
  { quick, progress }: BenchContext,
): Promise<readonly Comparison[]> {
  // Loads libwebrtc, which no other bench needs.
  const { compare } = await import('./side-by-side.ts');
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const { comparisons, latenessMs } = await compare(
    conditions.map((condition) => ({ codec, condition, sound: 'speech', seconds, seed })),
  );
  const lateMs = quantile(latenessMs, 0.99);
  const doubt = lateMs > LATE_MS ? ': NetEq was late, too' : '';
  progress(`seed ${seed}, ${codec}: packets ${lateMs.toFixed(1)} ms late at p99${doubt}`);
  return comparisons;
}

function measuresOf({ codec, condition }: Case, found: readonly Comparison[]): Measure[] {
  const rounds = found.filter(({ run }) => run.codec === codec && run.condition === condition);
  const figures = (figure: (score: QualityScore) => number) => ({
    ours: rounds.map(({ ours }) => figure(ours)),
    theirs: rounds.map(({ netEq }) => figure(netEq)),
  });
  const stoi = figures((score) => score.stoi);
  const delay = figures((score) => score.meanDelayMs);
  const anchor = (values: readonly number[]) => ({ name: 'NetEq', values });
  return [
    {
      name: `STOI, ${codec}, ${condition.name}`,
      unit: '',
      ours: stoi.ours,
      anchor: anchor(stoi.theirs),
      target: { atLeast: rounded(1 - STOI_MARGIN / median(stoi.theirs)) },
    },
    {
      name: `mean delay, ${codec}, ${condition.name}`,
      unit: 'ms',
      ours: delay.ours,
      anchor: anchor(delay.theirs),
      target: { atMost: rounded(Math.max(1, GOOD_DELAY_MS / median(delay.theirs))) },
    },
  ];
}

function rounded(ratio: number): number {
  return Number(ratio.toFixed(3));
}
