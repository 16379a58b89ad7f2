import type { Bench, BenchContext, Measure } from '../bench.ts';
import { type Contender, SIP_SETTLES_MS } from '../calls/contenders.ts';
import { anchorOf, contest, noteOf, type Standing } from '../calls/contest.ts';
import { Janus } from '../calls/janus.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import type { Song } from '../generator/generator.ts';
import { JANUS } from '../janus/janus-process.ts';
import { withSongFile } from './song-file.ts';

/** What both encode with, and the phones too: the gateway's own defaults. */
const OPUS = { payloadType: 111, complexity: 4, bitrateBps: 24_000 } as const;
const TIMES_JANUS = 3;
const MAX_KB_PER_CALL = 200;
/** Rooms of Janus take a tenth of those of G.711. */
const FIRST_STEPS = [8, 20] as const;

/** Most Opus legs at 48 kHz a core: decoded, mixed, encoded. */
export const opusBench: Bench = {
  name: 'opus',
  title: 'most Opus legs at 48 kHz a core, and memory a call',
  run: (context) => withSongFile((file) => compare({ ...OPUS, file }, context)),
};

async function compare(said: Song, context: BenchContext): Promise<Measure[]> {
  const gateway: Contender = {
    name: 'gateway',
    settlesMs: SIP_SETTLES_MS,
    start: (cores) => OurGateway.start(cores, said),
  };
  const janus: Contender = {
    name: 'Janus AudioBridge',
    needs: JANUS,
    start: (cores) => Janus.start(cores, said),
  };
  const standings = await contest([gateway, janus], FIRST_STEPS, context);
  const ours = standings.get(gateway)!;
  const beside = (values: (standing: Standing) => readonly number[]) => anchorOf(janus, standings, values);
  return [
    {
      name: 'Opus legs a core',
      unit: 'legs',
      ours: legsPerCore(ours),
      anchor: beside(legsPerCore),
      target: { atLeast: TIMES_JANUS },
      note: `${OPUS.bitrateBps / 1_000} kbit/s, complexity ${OPUS.complexity}; ${noteOf([...standings.values()])}`,
    },
    {
      name: 'most legs held on one core',
      unit: 'legs',
      ours: [ours.held * ours.phones],
      anchor: beside(({ held, phones }) => [held * phones]),
    },
    {
      name: 'memory an Opus call',
      unit: 'KB',
      ours: ours.kbPerCall,
      target: { atMost: MAX_KB_PER_CALL },
    },
  ];
}

function legsPerCore({ callsPerCore, phones }: Standing): number[] {
  return callsPerCore.map((calls) => calls * phones);
}
