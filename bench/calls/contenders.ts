import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CorePlan } from '../bench.ts';
import { JANUS_APT } from '../janus/janus-process.ts';
import type { CallSystem } from './call-system.ts';
import { Janus } from './janus.ts';
import { NaiveGateway } from './naive-gateway.ts';
import { OurGateway } from './our-gateway.ts';
import { Rtpengine } from './rtpengine.ts';

/** Who carries calls here: the gateway, and what it is held against. */
export interface Contender {
  readonly name: string;
  /** The program that has to be installed, and how. */
  readonly needs?: { readonly program: string; readonly apt: string };
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
    needs: { program: 'janus', apt: JANUS_APT },
    start: (cores) => Janus.start(cores),
  },
  { name: 'naive gateway', target: 1.5, start: (cores) => NaiveGateway.start(cores) },
];

/** How to get what is missing; null: it is there. */
export function missing({ needs }: Contender): string | null {
  if (needs === undefined) return null;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, needs.program))) ? null : needs.apt;
}
