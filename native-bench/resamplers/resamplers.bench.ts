import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withLibrary } from '../compiler.ts';
import { type Contestant, type NativeBench, nodeCommand } from '../native-bench.ts';

const FILTER = join(import.meta.dirname, 'filter.ts');
const JUDGE = join(import.meta.dirname, 'judge.ts');
const NPM_PACKAGE = join(import.meta.dirname, '../node_modules/speex-resampler');

const SPEEXDSP = { link: 'speexdsp', debianPackage: 'libspeexdsp-dev' };
const SOXR = { link: 'soxr', debianPackage: 'libsoxr-dev' };
const SAMPLERATE = { link: 'samplerate', debianPackage: 'libsamplerate0-dev' };

/** Changing the rate of a stream, 20 ms at a time: speed and cleanness. */
export const resamplersBench: NativeBench = {
  name: 'resamplers',
  title: 'a 20 ms frame from one rate to another, kHz',
  programs() {
    return [
      judged({ name: 'ours', command: nodeCommand(FILTER, 'ours') }, 0),
      judged(native('speexdsp quality 4', SPEEXDSP, 'speexdsp.c'), 4),
      judged(native('speexdsp quality 10', SPEEXDSP, 'speexdsp.c'), 10),
      judged(native('soxr low', SOXR, 'soxr.c'), 1),
      judged(native('soxr high', SOXR, 'soxr.c'), 4),
      judged(native('libsamplerate fastest', SAMPLERATE, 'samplerate.c'), 2),
      judged(speexFromNpm(), 4),
    ];
  },
};

function native(name: string, library: { link: string; debianPackage: string }, source: string): Contestant {
  return withLibrary(name, library, join(import.meta.dirname, source));
}

function speexFromNpm(): Contestant {
  const name = 'npm speex-resampler quality 4';
  if (existsSync(NPM_PACKAGE)) return { name, command: nodeCommand(FILTER, 'npm') };
  return { name, missing: 'npm install --prefix native-bench' };
}

function judged(contestant: Contestant, quality: number): Contestant {
  if ('missing' in contestant) return contestant;
  return { name: contestant.name, command: nodeCommand(JUDGE, `${quality}`, ...contestant.command) };
}
