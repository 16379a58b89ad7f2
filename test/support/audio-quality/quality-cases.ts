import { RECEPTION_CONDITIONS, SENDING_CONDITIONS } from './conditions.ts';
import type { NetworkCondition } from './network.ts';
import { type Hearing, type QualityScore, qualityScore } from './quality-score.ts';
import type { QualityCodec } from './sent-packets.ts';
import { SOUNDS, type SoundName } from './sounds.ts';
import { receive, send, type VirtualRun } from './virtual-run.ts';

/** One sound in one direction under one condition. */
export interface QualityCase {
  readonly name: string;
  /** Whether it is among the few that are scored at every run. */
  readonly fast: boolean;
  readonly run: () => Hearing;
}

const SECONDS = 30;
const LONG_SECONDS = 600;
const CODECS = ['PCMU', 'G722', 'opus'] as const satisfies readonly QualityCodec[];
/** Conditions of the fast cases: of speech over each codec, and of other sounds over G.711. */
const FAST_SPEECH = {
  PCMU: /jitter|spikes|stalls|1,000 ppm|loss of (10 %|20 % in bursts)$|outages|duplicates|clock jumps/u,
  G722: /loss of (10 %|20 % in bursts)$|outages/u,
  opus: /jitter to 200|spikes|loss of (10 %|20 % in bursts)$|outages/u,
} as const satisfies Record<QualityCodec, RegExp>;
const FAST_OTHERS = /stalls/u;

const DIRECTIONS = [
  { direction: 'from a phone', run: receive, conditions: RECEPTION_CONDITIONS },
  { direction: 'from an agent', run: send, conditions: SENDING_CONDITIONS },
] as const;

/** Every sound and codec in both directions, under every condition. */
export function qualityCases(seed: number): QualityCase[] {
  return [
    ...CODECS.flatMap((codec) =>
      SOUNDS.flatMap((sound) =>
        DIRECTIONS.flatMap(({ conditions, ...way }) =>
          conditions.map((condition) => caseOf(way, { sound, codec, condition, seconds: SECONDS, seed })),
        ),
      ),
    ),
    ...longCases(seed),
  ];
}

interface Way {
  readonly direction: string;
  readonly run: (run: VirtualRun) => Hearing;
}

/** Ten minutes with a clock that is wrong by as much as any. */
function longCases(seed: number): QualityCase[] {
  const drifts = RECEPTION_CONDITIONS.filter(({ driftPpm = 0 }) => Math.abs(driftPpm) >= 1_000);
  const shared = { sound: 'speech', codec: 'PCMU', seconds: LONG_SECONDS, seed } as const;
  return DIRECTIONS.flatMap((way) => drifts.map((condition) => caseOf(way, { ...shared, condition })));
}

function caseOf({ direction, run }: Way, given: VirtualRun): QualityCase {
  const { sound, codec, condition, seconds } = given;
  return {
    name: `${sound} ${direction}, ${codec}, ${condition.name}${seconds === SECONDS ? '' : `, ${seconds} s`}`,
    fast: seconds === SECONDS && isFast(sound, codec, condition),
    run: () => run(given),
  };
}

function isFast(sound: SoundName, codec: QualityCodec, { name }: NetworkCondition): boolean {
  if (sound === 'speech') return FAST_SPEECH[codec].test(name);
  return codec === 'PCMU' && FAST_OTHERS.test(name);
}

/** The score, rounded to what is worth storing. */
export function scoreOf(quality: QualityCase): QualityScore {
  const { stoi, clicks, meanDelayMs, maxDelayMs, returnMs } = qualityScore(quality.run());
  return {
    stoi: Math.round(stoi * 10_000) / 10_000,
    clicks,
    meanDelayMs: Math.round(meanDelayMs),
    maxDelayMs: Math.round(maxDelayMs),
    returnMs: returnMs === null ? null : Math.round(returnMs),
  };
}
