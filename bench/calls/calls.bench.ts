import type { Bench, Measure } from '../bench.ts';
import { anchors, ourGateway } from './contenders.ts';
import { anchorOf, contest, noteOf, type Standings } from './contest.ts';

const MAX_KB_PER_CALL = 64;
const FIRST_STEPS = [30, 90] as const;

/** Most G.711 agent calls a core: RTP and a WebSocket with 16 kHz PCM, both ways. */
export const callsBench: Bench = {
  name: 'calls',
  title: 'most G.711 agent calls a core, and memory a call',
  async run(context) {
    return measuresOf(await contest([ourGateway, ...anchors], FIRST_STEPS, context));
  },
};

function measuresOf(standings: Standings): Measure[] {
  const ours = standings.get(ourGateway)!;
  const callsPerCore = anchors.map((contender) => ({
    name: 'calls a core',
    unit: 'calls',
    ours: ours.callsPerCore,
    anchor: anchorOf(contender, standings, ({ callsPerCore }) => callsPerCore),
    ...(contender.target === undefined ? {} : { target: { atLeast: contender.target } }),
    note: noteOf([ours, standings.get(contender)]),
  }));
  const held = anchors.map((contender) => ({
    name: 'most calls held on one core',
    unit: 'calls',
    ours: [ours.held],
    anchor: anchorOf(contender, standings, ({ held }) => [held]),
  }));
  const memory = {
    name: 'memory a call',
    unit: 'KB',
    ours: ours.kbPerCall,
    target: { atMost: MAX_KB_PER_CALL },
  };
  return [...callsPerCore, ...held, memory];
}
