import type { CorePlan } from '../bench.ts';
import { JANUS } from '../janus/janus-process.ts';
import { howToGet, type NeededProgram } from '../needed-program.ts';
import type { CallSystem } from './call-system.ts';
import { Janus } from './janus.ts';
import { NaiveGateway } from './naive-gateway.ts';
import { OurGateway } from './our-gateway.ts';
import { Rtpengine } from './rtpengine.ts';

/** SIP keeps the transactions of a call setup for 32 s (RFC 3261, 64 × T1). */
export const SIP_SETTLES_MS = 35_000;

/** A system that carries calls: the gateway or one that it is compared with. */
export interface Contender {
  readonly name: string;
  readonly needs?: NeededProgram;
  /** Target: at least this many times its calls per core. */
  readonly target?: number;
  /** Memory per call is measured when calls have settled for so long; not at all without it. */
  readonly settlesMs?: number;
  start(cores: CorePlan): Promise<CallSystem>;
}

export const ourGateway: Contender = {
  name: 'gateway',
  settlesMs: SIP_SETTLES_MS,
  start: (cores) => OurGateway.start(cores),
};

export const anchors: readonly Contender[] = [
  {
    name: 'rtpengine relaying RTP',
    needs: { program: 'rtpengine', apt: 'apt-get install rtpengine-daemon' },
    target: 1,
    start: (cores) => Rtpengine.start(cores),
  },
  {
    name: 'Janus AudioBridge, phone to phone',
    needs: JANUS,
    start: (cores) => Janus.start(cores),
  },
  { name: 'naive gateway', target: 1.5, start: (cores) => NaiveGateway.start(cores) },
];

/** Returns how to install what is missing; null if nothing is. */
export function missing({ needs }: Contender): string | null {
  return needs === undefined ? null : howToGet(needs);
}
