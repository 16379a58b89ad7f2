import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asSamples, voice } from '../../bench/opus/voice.ts';
import { withLibrary } from '../compiler.ts';
import { type Contestant, type NativeBench, nodeCommand } from '../native-bench.ts';
import { candidates, SAMPLE_RATE_HZ } from './candidates.ts';

const OPUS = { link: 'opus', debianPackage: 'libopus-dev' };
const JUDGE = join(import.meta.dirname, 'judge.ts');
const CODEC = join(import.meta.dirname, 'codec.ts');
const INSTALLED = join(import.meta.dirname, '../node_modules');
const SIGNAL = join(import.meta.dirname, '../build/voice');
const SIGNAL_SECONDS = 4;

/** Opus at 48 kHz, mono, a frame of 20 ms: speed, memory, and what becomes of lost packets. */
export const opusBench: NativeBench = {
  name: 'opus',
  title: 'a 20 ms frame at 48 kHz; a line says application, complexity, kbit/s',
  programs() {
    mkdirSync(join(SIGNAL, '..'), { recursive: true });
    writeFileSync(SIGNAL, asSamples(voice(SIGNAL_SECONDS * SAMPLE_RATE_HZ, SAMPLE_RATE_HZ)));
    const fromC = withLibrary('libopus in C', OPUS, join(import.meta.dirname, 'libopus.c'));
    return [fromC, ...Object.keys(candidates).map(fromNpm)].map((contestant, i) =>
      judged(contestant, i === 0),
    );
  },
};

function fromNpm(name: string): Contestant {
  const { npmPackage, title } = candidates[name]!;
  if (existsSync(join(INSTALLED, npmPackage))) return { name: title, command: nodeCommand(CODEC, name) };
  return { name: title, missing: 'npm install --prefix native-bench' };
}

/** All candidates are libopus, so the quality is measured with one. */
function judged(contestant: Contestant, listening: boolean): Contestant {
  if ('missing' in contestant) return contestant;
  return {
    name: contestant.name,
    command: nodeCommand(JUDGE, listening ? 'listening' : 'speed', SIGNAL, ...contestant.command),
  };
}
