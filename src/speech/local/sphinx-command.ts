import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { LocalSpeechError } from './local-speech-error.ts';

const PROGRAM = 'pocketsphinx_continuous';
const MAX_GRAMMAR_CHARS = 20_000;
/** It reads other grammars, which are files on this machine. Anywhere, because comments may surround it. */
const IMPORT = /\bimport\b/;
/**
 * Node's pipes to a child are sockets, which the program cannot open by name; `cat` makes a real pipe of one. When the
 * gateway dies, `cat` finds the end of its input, and so does the recognizer.
 */
const SCRIPT = 'cat | nice -n 10 "$@"';

/** A command that recognizes speech from its standard input: mono samples at 16 kHz, 16 bits, little-endian. */
export interface SphinxCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Removes its files. Call it when the command has ended. */
  remove(): void;
}

/**
 * Prepares pocketsphinx for dictation, or for a grammar in the JSpeech Grammar Format (https://www.w3.org/TR/jsgf/).
 * Throws LocalSpeechError when it is not installed.
 */
export function sphinxCommand(grammar: string | null): SphinxCommand {
  const program = installedProgram();
  // Dither, because its logarithms do not like digital silence; the same each time.
  const options = [program, '-infile', '/dev/stdin', '-dither', 'yes', '-seed', '1'];
  if (grammar === null) return command(options, () => {});
  const folder = grammarFolder(grammar);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return command([...options, '-jsgf', join(folder, 'grammar.jsgf')], remove);
}

function command(args: readonly string[], remove: () => void): SphinxCommand {
  return { command: 'sh', args: ['-c', SCRIPT, 'sh', ...args], remove };
}

function installedProgram(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, PROGRAM)).find(isExecutable);
  if (found !== undefined) return found;
  const hint = 'on Debian: apt-get install pocketsphinx pocketsphinx-en-us';
  throw new LocalSpeechError('not_installed', `Speech recognition needs ${PROGRAM} (${hint})`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function grammarFolder(grammar: string): string {
  if (grammar.length > MAX_GRAMMAR_CHARS) throw new LocalSpeechError('too_long', 'Grammar is too long');
  if (IMPORT.test(grammar)) throw new LocalSpeechError('failed', 'A grammar may not contain the word import');
  const folder = mkdtempSync(join(tmpdir(), 'svc-grammar-'));
  writeFileSync(join(folder, 'grammar.jsgf'), grammar);
  return folder;
}
