import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { within } from './wait-for.ts';

const KEPT_OUTPUT_CHARS = 200_000;

/** A child process with its output kept; it never outlives the process that started it. */
export class Child {
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcess;
  readonly #killWithParent: () => void;
  #output = '';

  constructor(command: string, args: readonly string[], options: SpawnOptions = {}) {
    this.#process = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    this.#killWithParent = () => void this.#process.kill('SIGKILL');
    process.once('exit', this.#killWithParent);
    const keep = (text: Buffer) => {
      this.#output = (this.#output + text.toString('utf8')).slice(-KEPT_OUTPUT_CHARS);
    };
    this.#process.stdout?.on('data', keep);
    this.#process.stderr?.on('data', keep);
    this.exited = new Promise((resolve) => {
      const done = (code: number | null) => {
        process.removeListener('exit', this.#killWithParent);
        resolve(code);
      };
      this.#process.once('error', (error) => {
        this.#output += `\n${error.message}`;
        done(null);
      });
      this.#process.once('close', done);
    });
  }

  get pid(): number {
    return this.#process.pid ?? -1;
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null && this.pid > 0;
  }

  /** The last of what it wrote to standard output and standard error. */
  get output(): string {
    return this.#output;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Kills it without a chance to end by itself, and waits until it has ended. */
  async killHard(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.exited;
  }

  /** Asks it to end, and kills it when it does not within `deadlineMs`. Resolves with its exit code; safe to call twice. */
  async stop(deadlineMs?: number): Promise<number | null> {
    this.#process.kill('SIGTERM');
    try {
      return await within('the child to end', this.exited, deadlineMs);
    } catch {
      this.#process.kill('SIGKILL');
      return this.exited;
    }
  }
}
