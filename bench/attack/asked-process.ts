import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../../test/support/wait-for.ts';

const DEADLINE_MS = 10_000;
/**
 * Precedes all ordinary threads. With a high priority alone it would wait for the end of an attacker's time slice, up to
 * 4 ms, and that would count for the gateway.
 */
const AT_ONCE = ['chrt', '--fifo', '1'];
const MAY_PRECEDE = spawnSync(AT_ONCE[0]!, [...AT_ONCE.slice(1), 'true']).status === 0;

/** A child process that measures continuously, whatever else runs on its core, and reports on request. */
export class AskedProcess<Report> {
  readonly #child: ChildProcess;
  readonly #killWithParent = (): void => void this.#child.kill('SIGKILL');

  private constructor(program: string, args: readonly string[]) {
    const [command, ...all] = [...(MAY_PRECEDE ? AT_ONCE : []), process.execPath, program, ...args];
    this.#child = spawn(command!, all, {
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
