import type { CorePlan } from '../bench.ts';
import { JANUS } from '../janus/janus-process.ts';
import { howToGet, type NeededProgram } from '../needed-program.ts';
import type { CallSystem } from './call-system.ts';
import { Janus } from './janus.ts';
import { NaiveGateway } from './naive-gateway.ts';
import { OurGateway } from './our-gateway.ts';
import { Rtpengine } from './rtpengine.ts';

/** Who carries calls here: the gateway, and what it is held against. */
export interface Contender {
  readonly name: string;
  readonly needs?: NeededProgram;
  /** At least so many times its calls per core. */
  readonly target?: number;
  start(cores: CorePlan): Promise<CallSystem>;
}

export const ourGateway: Contender = { name: 'gateway', start: (cores) => OurGateway.start(cores) };

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

/** How to get what is missing; null: it is there. */
export function missing({ needs }: Contender): string | null {
  return needs === undefined ? null : howToGet(needs);
}
