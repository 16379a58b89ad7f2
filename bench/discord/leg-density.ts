import type { BenchContext, Measure } from '../bench.ts';
import type { Contender } from '../calls/contenders.ts';
import { anchorOf, contest, noteOf } from '../calls/contest.ts';
import { withSongFile } from '../opus/song-file.ts';
import { DiscordLegs } from './discord-legs.ts';
import { NaiveLegs } from './naive-legs.ts';
import { DISCORD_OPUS } from './voice-song.ts';

/** Fewer legs cost so little that nothing can be estimated from them. */
const FIRST_STEPS = [12, 36] as const;
const TIMES_NAIVE = 2;

/** Most voice legs a core: a person and an agent who speak without a pause, both encryptions. */
export function legDensity(context: BenchContext): Promise<Measure[]> {
  return withSongFile((file) => compare(file, context));
}

async function compare(file: string, context: BenchContext): Promise<Measure[]> {
  const song = { ...DISCORD_OPUS, file };
  const ours: Contender = { name: 'gateway', start: (cores) => DiscordLegs.start(cores, song) };
  const naive: Contender = {
    name: '@discordjs/voice, prism-media and opusscript in one thread',
    start: (cores) => NaiveLegs.start(cores, song),
  };
  const standings = await contest([ours, naive], FIRST_STEPS, context);
  const own = standings.get(ours)!;
  return [
    {
      name: 'Discord voice legs a core',
      unit: 'legs',
      ours: own.callsPerCore,
      anchor: anchorOf(naive, standings, ({ callsPerCore }) => callsPerCore),
      target: { atLeast: TIMES_NAIVE },
      note: `${DISCORD_OPUS.bitrateBps / 1_000} kbit/s, AES-GCM and DAVE; ${noteOf([...standings.values()])}`,
    },
    {
      name: 'most Discord voice legs held on one core',
      unit: 'legs',
      ours: [own.held],
      anchor: anchorOf(naive, standings, ({ held }) => [held]),
    },
  ];
}
