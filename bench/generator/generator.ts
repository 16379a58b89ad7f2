import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { within } from '../../test/support/wait-for.ts';
import { compileFolder } from '../compile.ts';
import type { GeneratorEvent, GeneratorLateness, GeneratorReport, LeftCall } from './generator-report.ts';

const ANSWER_DEADLINE_MS = 10_000;

interface Waiter {
  readonly takes: (event: GeneratorEvent) => boolean;
  readonly resolve: (event: GeneratorEvent) => void;
  readonly reject: (error: Error) => void;
}

/** The recording that Opus telephones play, and its encoding. */
export interface Song {
  readonly file: string;
  readonly payloadType: number;
  readonly complexity: number;
  readonly bitrateBps: number;
}

/** The load generator (`generator.c`): thousands of telephones and agents in one thread of its own process. */
export class Generator {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #killWithParent = (): void => void this.#child.kill('SIGKILL');
  readonly #waiters = new Set<Waiter>();
  #ended: Error | null = null;
  #agents = 0;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    process.once('exit', this.#killWithParent);
    // If the program has ended, its exit is reported instead.
    child.stdin.on('error', () => {});
    child.once('error', (error) => this.#end(error));
    child.once('exit', (code, signal) => this.#end(new Error(`the generator ended with ${signal ?? code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
  }

  /** Compiles it if necessary and starts it. `prefix` precedes the command, for example to pin it to a core. */
  static start(prefix: readonly string[] = []): Generator {
    const [command = '', ...args] = [...prefix, compileFolder(import.meta.dirname, 'generator')];
    return new Generator(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Opens telephones on free ports of 127.0.0.1 and returns the ports. Telephones are numbered in this order from 0. */
  async openPhones(count: number): Promise<readonly number[]> {
    const { ports } = await this.#ask(`phones ${count}`, 'phones');
    if (ports.length < count) throw new Error(`the generator found ${ports.length} of ${count} ports`);
    return ports;
  }

  /**
   * Telephones opened from now on play this file (16-bit samples at 48 kHz) in Opus, in a loop, and agents play it at
   * 48 kHz. Needs libopus0.
   */
  async sing({ file, payloadType, complexity, bitrateBps }: Song): Promise<void> {
    await this.#ask(`song ${payloadType} ${complexity} ${bitrateBps} ${file}`, 'song');
  }

  /** Lets a telephone send there from now on and count as part of a call. */
  call(phone: number, host: string, port: number): void {
    this.#child.stdin.write(`call ${phone} ${host} ${port}\n`);
  }

  /** Lets an agent join each call. Resolves when the gateway has confirmed all sample rates. */
  async joinAgents(streamUrls: readonly string[], apiKey: string): Promise<void> {
    this.#agents += streamUrls.length;
    const all = this.#next(
      (event) => event.event === 'agents' && (event.talking === this.#agents || event.gone > 0),
      'agents to join',
    );
    for (const streamUrl of streamUrls) {
      const url = new URL(streamUrl);
      this.#child.stdin.write(`agent ${url.port} ${apiKey} ${url.pathname}${url.search}\n`);
    }
    const event = await all;
    if (event.event === 'agents' && event.gone > 0) throw new Error(`${event.gone} agents could not join`);
  }

  /** Lets an agent join the call of this telephone, without waiting for it. */
  join(phone: number, streamUrl: string, apiKey: string): void {
    const url = new URL(streamUrl);
    this.#child.stdin.write(`join ${phone} ${url.port} ${apiKey} ${url.pathname}${url.search}\n`);
  }

  /** Lets the telephone and its agent leave their call. Returns what they heard. */
  async hangUp(phone: number): Promise<LeftCall> {
    const left = this.#next(
      (event) => event.event === 'left' && event.phone === phone,
      `phone ${phone} to leave`,
    );
    this.#child.stdin.write(`hangup ${phone}\n`);
    return (await left) as LeftCall & GeneratorEvent;
  }

  /** Starts to count. */
  async begin(): Promise<void> {
    await this.#ask('begin', 'began');
  }

  /** Returns how late it was since the last query or since it began to count. */
  async lateness(): Promise<GeneratorLateness> {
    return this.#ask('lateness', 'lateness');
  }

  /** Ends the count. */
  async end(): Promise<GeneratorReport> {
    return this.#ask('end', 'report');
  }

  stop(): void {
    process.removeListener('exit', this.#killWithParent);
    this.#child.kill('SIGKILL');
  }

  async #ask<E extends GeneratorEvent['event']>(
    order: string,
    answer: E,
  ): Promise<Extract<GeneratorEvent, { event: E }>> {
    const next = this.#next((event) => event.event === answer, `"${answer}"`);
    this.#child.stdin.write(`${order}\n`);
    return (await next) as Extract<GeneratorEvent, { event: E }>;
  }

  #next(takes: Waiter['takes'], what: string): Promise<GeneratorEvent> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<GeneratorEvent>();
    const waiter = { takes, resolve, reject };
    this.#waiters.add(waiter);
    return within(`${what} of the generator`, promise, ANSWER_DEADLINE_MS).finally(() =>
      this.#waiters.delete(waiter),
    );
  }

  #take(event: GeneratorEvent): void {
    for (const waiter of this.#waiters) {
      if (event.event === 'failed') waiter.reject(new Error(`the generator failed: ${event.why}`));
      else if (waiter.takes(event)) waiter.resolve(event);
    }
  }

  #end(error: Error): void {
    this.#ended = error;
    for (const waiter of this.#waiters) waiter.reject(error);
  }
}
