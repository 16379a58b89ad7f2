import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSpeechError } from './local-speech-error.ts';
import { NO_SPHINX, sphinxProgram } from './sphinx-program.ts';

/** Virtual memory of the recognizer, which takes 200 MB. Rules that double themselves would take all there is. In KiB. */
const MAX_MEMORY_KIB = 300_000;
/**
 * Node's pipes to a child are sockets, which the program cannot open by name; `cat` makes a real pipe of one. When the
 * gateway dies, `cat` finds the end of its input, and so does the recognizer. Not every system can limit memory.
 */
const SCRIPT = `ulimit -v ${MAX_MEMORY_KIB} 2>/dev/null; cat | nice -n 10 "$@"`;

/** A command that recognizes speech from its standard input: mono samples at 16 kHz, 16 bits, little-endian. */
export interface SphinxCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Removes its files. Call it when the command has ended. */
  remove(): void;
}

/**
 * Prepares pocketsphinx for dictation (null), or for the expansion of a rule in the JSpeech Grammar Format
 * (https://www.w3.org/TR/jsgf/). Throws LocalSpeechError when it is not installed.
 */
export function sphinxCommand(grammar: string | null): SphinxCommand {
  const program = sphinxProgram();
  if (program === undefined) throw new LocalSpeechError('not_installed', NO_SPHINX);
  // Dither, because its logarithms do not like digital silence; the same each time. By default, less than speech starts a word.
  const options = [
    program,
    '-infile',
    '/dev/stdin',
    ...['-dither', 'yes', '-seed', '1', '-vad_threshold', '3'],
  ];
  if (grammar === null) return command(options, () => {});
  const folder = grammarFolder(grammar);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return command([...options, '-jsgf', join(folder, 'grammar.jsgf')], remove);
}

function command(args: readonly string[], remove: () => void): SphinxCommand {
  return { command: 'sh', args: ['-c', SCRIPT, 'sh', ...args], remove };
}

/** The rule comes first: after it, no other file can be imported. */
function grammarFolder(expansion: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-grammar-'));
  const text = `#JSGF V1.0;\ngrammar said;\npublic <said> = ${expansion};\n`;
  writeFileSync(join(folder, 'grammar.jsgf'), text);
  return folder;
}
