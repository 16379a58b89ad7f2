import { type ChildProcess, spawn } from 'node:child_process';

/** Added to the time of the measurement. */
const GRACE_MS = 15_000;

/** A program that measures for some seconds, prints one line per event and ends. */
export class MeasuringProgram {
  /** Its output. Rejects if the program failed or did not end in time. */
  readonly lines: Promise<string[]>;
  readonly #child: ChildProcess;

  constructor(command: readonly string[], seconds: number) {
    const [file = '', ...args] = command;
    // The program ends when its input does, so the input stays open.
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    const killWithParent = (): void => void child.kill('SIGKILL');
    process.once('exit', killWithParent);
    const deadline = setTimeout(killWithParent, seconds * 1_000 + GRACE_MS);
    const output: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => {
      errors = (errors + bytes.toString()).slice(-2_000);
    });
    this.lines = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(deadline);
        process.off('exit', killWithParent);
        if (code !== 0) reject(new Error(`${file} ended with ${signal ?? code}: ${errors}`));
        else
          resolve(
            Buffer.concat(output)
              .toString('latin1')
              .split('\n')
              .filter((line) => line !== ''),
          );
      });
    });
    // The caller awaits the lines, but possibly only after the program has failed.
    this.lines.catch(() => {});
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
