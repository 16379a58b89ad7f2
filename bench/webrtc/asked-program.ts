import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '../../test/support/wait-for.ts';

/** What the programs of this folder are asked: a function by its name. */
type Functions = Readonly<Record<string, (...args: never) => Promise<unknown>>>;

interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

/** A child process of this folder that does one thing after the other. */
export class AskedProgram<Orders extends Functions> {
  readonly #child: ChildProcess;
  readonly #name: string;

  /** `prefix` pins it to a core. */
  constructor(name: string, prefix: readonly string[]) {
    const [command = '', ...args] = [...prefix, process.execPath, join(import.meta.dirname, `${name}.ts`)];
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#name = name;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async ask<Name extends keyof Orders & string>(
    order: Name,
    ...args: Parameters<Orders[Name]>
  ): Promise<Awaited<ReturnType<Orders[Name]>>> {
    const answered = once(this.#child, 'message');
    this.#child.send({ order, args });
    const [{ value, error }] = (await within(`${this.#name} to ${order}`, answered)) as [Answer];
    if (error !== undefined) throw new Error(`${this.#name}: ${error}`);
    return value as Awaited<ReturnType<Orders[Name]>>;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The other side: answers what this process is asked. */
export function answerWith(orders: Functions): void {
  process.on('message', ({ order, args }: { order: string; args: readonly unknown[] }) => {
    const run = orders[order] as (...args: readonly unknown[]) => Promise<unknown>;
    run(...args).then(
      (value) => process.send!({ value }),
      (error: Error) => process.send!({ error: `${error.stack}` }),
    );
  });
}
