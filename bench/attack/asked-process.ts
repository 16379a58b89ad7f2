import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../../test/support/wait-for.ts';

const DEADLINE_MS = 10_000;

/** A child process that measures continuously and reports on request. */
export class AskedProcess<Report> {
  readonly #child: ChildProcess;
  readonly #killWithParent = (): void => void this.#child.kill('SIGKILL');

  private constructor(program: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    process.once('exit', this.#killWithParent);
  }

  /** Resolves when the program reports that it is ready. */
  static async start<Report>(program: string, args: readonly string[]): Promise<AskedProcess<Report>> {
    const started = new AskedProcess<Report>(program, args);
    try {
      await within(`${program} to be ready`, once(started.#child, 'message'), DEADLINE_MS);
    } catch (error) {
      started.stop();
      throw error;
    }
    return started;
  }

  async ask(): Promise<Report> {
    const answer = once(this.#child, 'message');
    this.#child.send('report');
    const [report] = await within('a report', answer, DEADLINE_MS);
    return report as Report;
  }

  stop(): void {
    process.off('exit', this.#killWithParent);
    this.#child.kill('SIGKILL');
  }
}
