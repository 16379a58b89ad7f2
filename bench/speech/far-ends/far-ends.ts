import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '../../../test/support/wait-for.ts';
import type { FarEndsAnswer, FarEndsOrder } from './far-ends-orders.ts';
import type { Sightings } from './sightings.ts';

const PROGRAM = join(import.meta.dirname, 'far-ends-program.ts');

/** The vendor and the marked telephones, in their own process. */
export class FarEnds {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** `prefix` precedes the command, for example to pin it to a core. */
  static start(prefix: readonly string[]): FarEnds {
    const [command = '', ...args] = [...prefix, process.execPath, PROGRAM];
    return new FarEnds(spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  }

  /** Base URL of the vendor. */
  async vendorUrl(): Promise<string> {
    return (await this.#ask({ type: 'vendor' })).url;
  }

  /** Opens telephones and returns their ports. They are numbered from 0. */
  async openPhones(count: number): Promise<readonly number[]> {
    return (await this.#ask({ type: 'phones', count })).ports;
  }

  /** Lets a telephone send there from now on. */
  call(phone: number, host: string, port: number): void {
    this.#child.send({ type: 'call', phone, host, port } satisfies FarEndsOrder);
  }

  async begin(): Promise<void> {
    await this.#ask({ type: 'begin' });
  }

  /** Returns what was seen since `begin`. */
  async end(): Promise<Sightings> {
    return (await this.#ask({ type: 'end' })).sightings;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  /** Answers come in the order of what was asked. */
  async #ask<Type extends FarEndsAnswer['type']>(
    order: FarEndsOrder & { readonly type: Type },
  ): Promise<Extract<FarEndsAnswer, { type: Type }>> {
    const answered = once(this.#child, 'message');
    this.#child.send(order);
    const [answer] = await within(`the far ends to answer "${order.type}"`, answered);
    return answer;
  }
}
