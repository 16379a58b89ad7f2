import { waitFor } from '../wait-for.ts';
import { Expected } from './expected.ts';
import type { Command } from './steps.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

/** Only a fault takes longer, not a busy machine. */
const RESULT_DEADLINE_MS = 90_000;
/** Between two looks at a result that is not there yet. */
const LOOK_AGAIN_MS = 250;
/** Requests that change nothing, so that the reader looks again until the result is there. */
const LOOKS = /^curl (?!.*\s-[dX])|\/fake\/received/;
const PLACEHOLDER = /<[a-z_ ]+>/g;

export interface ReaderOptions extends TerminalOptions {
  /** The ports of this run in place of those in the text. */
  readonly ports: ReadonlyMap<number, number>;
  /** The fakes that listen on one of them, by the names of `npm run fake`. */
  readonly fakePorts: Readonly<Record<string, number>>;
}

/**
 * Somebody who reads a document from its top and types its commands: those of a block with `npm start` into the gateway's
 * terminal, where Ctrl-C has ended the gateway before; each fake into a new one; all others into one more.
 */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #gateway: Terminal;
  readonly #session: Terminal;
  readonly #fakes: Terminal[] = [];
  readonly #noted = new Map<string, string>();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#gateway = new Terminal(options);
    this.#session = new Terminal(options);
  }

  /** Types the commands of a block, and sees that each prints its result. */
  async typeAll(commands: readonly Command[]): Promise<void> {
    const starts = commands.some(({ text }) => text.endsWith('npm start'));
    if (starts) await this.#gateway.interrupt();
    for (const command of commands) {
      const terminal = starts ? this.#gateway : this.#terminalFor(command.text);
      await this.#type(terminal, command);
    }
  }

  /** What stands in the text, with the ports of this run and the values that were noted. Throws if one was not. */
  filledIn(text: string): string {
    return this.#here(text).replace(PLACEHOLDER, (name) => {
      const value = this.#noted.get(name);
      if (value === undefined) throw new Error(`no result before this shows ${name}: ${text}`);
      return value;
    });
  }

  /** Sees the last commands end well, and closes all terminals. */
  async close(): Promise<void> {
    const terminals = [this.#session, this.#gateway, ...this.#fakes];
    const results = await Promise.allSettled(terminals.map((terminal) => terminal.close()));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #type(terminal: Terminal, { text, result }: Command): Promise<void> {
    const command = this.filledIn(text);
    await terminal.type(command);
    if (result === '') return terminal.idle();
    const expected = new Expected(this.#here(result));
    const look = async () => {
      const values = expected.valuesIn(terminal.output);
      if (values || terminal.exitCode === null) return values;
      if (terminal.exitCode !== 0 || !LOOKS.test(text)) throw new Error('it has ended');
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      await terminal.type(command);
      return null;
    };
    const values = await waitFor('the result', look, RESULT_DEADLINE_MS).catch((error: Error) => {
      throw new Error(
        `${command}\ndid not print\n${result}${error.message}. It printed\n${terminal.output.slice(-3_000)}`,
      );
    });
    for (const [name, value] of values) this.#noted.set(name, value);
  }

  #terminalFor(text: string): Terminal {
    if (!text.startsWith('npm run fake')) return this.#session;
    const terminal = new Terminal(this.#options);
    this.#fakes.push(terminal);
    return terminal;
  }

  /** The one place where ports are replaced. */
  #here(text: string): string {
    const { ports, fakePorts } = this.#options;
    const replaced = text.replace(/\b\d{4}\b/g, (port) => `${ports.get(Number(port)) ?? port}`);
    return replaced.replace(/npm run fake -- (\w+)$/, (command, name) => {
      const port = fakePorts[name];
      if (port === undefined) throw new Error(`no port for ${command}`);
      return `${command} ${ports.get(port)}`;
    });
  }
}
