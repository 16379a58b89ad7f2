import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CancelTimer, Clock } from '../../base/time.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { NO_SPHINX, sphinxProgram } from './sphinx-program.ts';

export const SPHINX_RATE_HZ = 16_000;
const BYTES_PER_MS = (SPHINX_RATE_HZ / 1000) * Int16Array.BYTES_PER_ELEMENT;
/** One write. */
const CHUNK_MS = 100;
/** Audio that waits here while the recognizer is behind; another 9 s wait in the system's buffers. It fails at more. */
const MAX_BACKLOG_MS = 5_000;
const MAX_LINE_CHARS = 10_000;
const KEPT_LOG_CHARS = 4_000;
/** As in `ERROR: "dict.c", line 193: …`, or `calloc(1,16) failed from …` when its memory is full. */
const LOGGED_ERROR = /^(?:ERROR|FATAL|\w+alloc\()[^\n]*/m;

export interface SphinxOptions {
  /** The expansion of a rule in JSGF, such as `( yes | no )`; null: dictation. */
  readonly grammar: string | null;
  /** Called with what was said, in lower case, when the speaker has paused for half a second. */
  readonly onFinal: (text: string) => void;
  /** Called once, when the recognizer has ended: with null if it was told to. */
  readonly onEnd: (error: LocalSpeechError | null) => void;
}

/** One voice, recognized by a process of its own. */
export class SphinxStream {
  readonly #clock: Clock;
  readonly #options: SphinxOptions;
  readonly #command: SphinxCommand;
  readonly #process: ChildProcessWithoutNullStreams;
  #chunk = Buffer.alloc(CHUNK_MS * BYTES_PER_MS);
  #chunkBytes = 0;
  #line = '';
  #log = '';
  #isTold = false;
  #isKilled = false;
  #hasEnded = false;
  #failure: LocalSpeechError | null = null;
  #cancelDeadline: CancelTimer = () => {};

  /** Starts the recognizer, which takes about 0.6 s to load; audio may be written at once. */
  constructor(clock: Clock, options: SphinxOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#command = sphinxCommand(options.grammar);
    const { command, args } = this.#command;
    // In a process group of its own, so that all of it can be killed. It needs none of the gateway's secrets.
    this.#process = spawn(command, args, { stdio: 'pipe', detached: true, env: { PATH: process.env.PATH } });
    this.#listen();
  }

  /** Audio that waits here until the recognizer reads it. */
  get backlogMs(): number {
    return this.#process.stdin.writableLength / BYTES_PER_MS;
  }

  /** Takes the next samples of the voice, silence included: mono, 16 kHz. */
  hear(samples: Int16Array): void {
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.#chunk, this.#chunkBytes, at);
      at += copied;
      this.#chunkBytes += copied;
      if (this.#chunkBytes === this.#chunk.length) this.#writeChunk();
    }
  }

  /** Ends the audio. What was said last is still reported before the end, which comes in this time. */
  finish(withinMs: number): void {
    if (this.#isTold || this.#hasEnded) return;
    this.#isTold = true;
    this.#process.stdin.end(this.#chunk.subarray(0, this.#chunkBytes));
    this.#cancelDeadline = this.#clock.after(withinMs, () =>
      this.#fail('timed_out', 'The speech recognizer did not finish in time'),
    );
  }

  /** Ends the recognizer at once. Nothing more is reported, except the end. */
  kill(): void {
    this.#isTold = true;
    this.#process.stdout.removeAllListeners('data').resume();
    this.#killAll();
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#process;
    // Broken when the recognizer ends first, which its exit tells.
    stdin.on('error', () => {});
    stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-KEPT_LOG_CHARS);
    });
    this.#process.once('error', (error) => this.#fail('failed', error.message));
    this.#process.once('close', (code) => this.#ended(code));
  }

  #writeChunk(): void {
    this.#chunkBytes = 0;
    if (this.#isTold) return;
    if (this.backlogMs >= MAX_BACKLOG_MS) return this.#fail('timed_out', 'The speech recognizer is too slow');
    this.#process.stdin.write(this.#chunk);
    this.#chunk = Buffer.alloc(this.#chunk.length);
  }

  /** The recognizer writes a line per utterance, an empty one when it understood nothing. */
  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() as string).slice(0, MAX_LINE_CHARS);
    for (const line of lines) if (line.trim() !== '') this.#options.onFinal(line.trim());
  }

  #fail(problem: 'timed_out' | 'failed', message: string): void {
    this.#isTold = true;
    this.#failure ??= new LocalSpeechError(problem, message);
    this.#killAll();
  }

  #killAll(): void {
    const { pid, exitCode, signalCode } = this.#process;
    // Another process may have the id of one that has ended.
    if (this.#isKilled || pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#isKilled = true;
    process.kill(-pid, 'SIGKILL');
  }

  #ended(code: number | null): void {
    this.#hasEnded = true;
    this.#cancelDeadline();
    this.#command.remove();
    const isExpected = this.#isKilled || (this.#isTold && code === 0);
    this.#options.onEnd(this.#failure ?? (isExpected ? null : this.#unexpected(code)));
  }

  #unexpected(code: number | null): LocalSpeechError {
    const reason = this.#log.match(LOGGED_ERROR)?.[0];
    const problem = reason === undefined ? 'crashed' : 'failed';
    return new LocalSpeechError(problem, `The speech recognizer ended: ${reason ?? `exit code ${code}`}`);
  }
}

/** Virtual memory of the recognizer, which takes 200 MB. Rules that double themselves would take all there is. In KiB. */
const MAX_MEMORY_KIB = 300_000;
/**
 * Node's pipes to a child are sockets, which the program cannot open by name; `cat` makes a real pipe of one. When the
 * gateway dies, `cat` finds the end of its input, and so does the recognizer. Not every system can limit memory.
 */
const SCRIPT = `ulimit -v ${MAX_MEMORY_KIB} 2>/dev/null; cat | nice -n 10 "$@"`;

/** A command that recognizes speech from its standard input: mono samples at 16 kHz, 16 bits, little-endian. */
interface SphinxCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Removes its files. Call it when the command has ended. */
  remove(): void;
}

/**
 * Prepares pocketsphinx for dictation (null), or for the expansion of a rule in the JSpeech Grammar Format
 * (https://www.w3.org/TR/jsgf/). Throws LocalSpeechError when it is not installed.
 */
function sphinxCommand(grammar: string | null): SphinxCommand {
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
