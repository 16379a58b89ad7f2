import { spawn } from 'node:child_process';
import { waitFor, within } from '../wait-for.ts';

/**
 * Curl fails on an error of the gateway and shows no progress. Python is the system's, whose packages are Debian's.
 * Ctrl-C ends what runs in the shell, not the shell.
 */
const PROFILE = `
curl() { command curl --silent --show-error --fail-with-body --max-time 20 "$@"; }
python3() { /usr/bin/python3 "$@"; }
trap : INT
exec 2>&1
`;
const END = 'END-OF-COMMAND';
const KEPT_CHARS = 200_000;
const END_DEADLINE_MS = 20_000;

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A shell into which one command after another is typed. */
export class Terminal {
  readonly #shell;
  readonly #exited: Promise<void>;
  readonly #kill = () => this.#signal('SIGKILL');
  #typed = '';
  #output = '';

  constructor(options: TerminalOptions) {
    // A process group of its own, as a terminal's.
    this.#shell = spawn('bash', { ...options, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    process.once('exit', this.#kill);
    this.#exited = new Promise((resolve) => this.#shell.once('close', () => resolve()));
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_CHARS);
    });
    this.#shell.stdin.on('error', () => {}).write(PROFILE);
  }

  /** Types a command once the one before has ended, which has to be well. */
  async type(command: string): Promise<void> {
    await this.idle();
    if (this.exitCode) throw new Error(`exit code ${this.exitCode} of ${this.#typed}\n${this.output}`);
    this.#typed = command;
    this.#output = '';
    this.#shell.stdin.write(`{ ${command}\n} < /dev/null; printf '\\n${END} %d\\n' $?\n`);
  }

  /** Waits until no command runs. */
  async idle(): Promise<void> {
    const ended = () => this.#typed === '' || this.exitCode !== null;
    await waitFor(`the end of ${this.#typed}`, ended, END_DEADLINE_MS);
  }

  /** What the last command has printed so far. */
  get output(): string {
    return this.#output.split(END)[0]!;
  }

  /** The exit code of the last command; null while it runs. */
  get exitCode(): number | null {
    const code = new RegExp(`${END} (\\d+)\\n`).exec(this.#output)?.[1];
    return code === undefined ? null : Number(code);
  }

  /** Presses Ctrl-C, which ends what runs. */
  async interrupt(): Promise<void> {
    if (this.#typed === '') return;
    this.#signal('SIGINT');
    await this.idle();
    this.#typed = '';
    this.#output = '';
  }

  /** Ends what runs, and the shell. */
  async close(): Promise<void> {
    try {
      await this.interrupt();
      this.#shell.stdin.end();
      await within('the end of a shell', this.#exited, END_DEADLINE_MS);
    } finally {
      this.#kill();
      process.removeListener('exit', this.#kill);
    }
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#shell.pid!, signal);
    } catch {
      // All have ended.
    }
  }
}
