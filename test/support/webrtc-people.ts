import { type ChildProcess, fork } from 'node:child_process';
import type { IceCandidate } from '../../src/media/ice.ts';
import { within } from './wait-for.ts';
import type { PeopleEvent, PeopleOrder, PeopleOrders } from './webrtc-people-program.ts';

export const HEARD_RATE_HZ = 48_000;

/** People of a meeting with peer connections of libwebrtc, another implementation than the gateway's. */
export class WebRtcPeople {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #candidates: (name: string, candidate: IceCandidate) => void;
  /** By the name of the connection, as libwebrtc calls it. */
  readonly states = new Map<string, string>();
  #orders = 0;

  /** `candidates` takes those of people, after the description of their connection. */
  constructor(candidates: (name: string, candidate: IceCandidate) => void) {
    this.#candidates = candidates;
    const program = new URL('./webrtc-people-program.ts', import.meta.url);
    this.#process = fork(program, {
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#process.on('message', (event: PeopleEvent) => this.#take(event));
    this.#process.on('exit', (code, signal) =>
      this.#end(new Error(`the people have ended: ${code ?? signal}`)),
    );
  }

  /** Has them do something. */
  async order<Name extends keyof PeopleOrders>(
    order: Name,
    ...args: Parameters<PeopleOrders[Name]>
  ): Promise<Awaited<ReturnType<PeopleOrders[Name]>>> {
    const id = this.#orders++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#process.send({ id, order, args } satisfies PeopleOrder);
    return (await within(`people to ${order}`, waiting.promise)) as Awaited<ReturnType<PeopleOrders[Name]>>;
  }

  /** What a listener hears from now on. */
  async hear(name: string, lengthMs: number): Promise<Int16Array> {
    await this.order('heard', name);
    const samples: number[] = [];
    while (samples.length < (lengthMs * HEARD_RATE_HZ) / 1000)
      for (const sample of await this.order('heard', name)) samples.push(sample);
    return Int16Array.from(samples);
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  #take(event: PeopleEvent): void {
    if (event.type === 'candidate') return this.#candidates(event.name, event.candidate);
    if (event.type === 'state') return void this.states.set(event.name, event.state);
    const waiting = this.#waiting.get(event.id);
    this.#waiting.delete(event.id);
    if (event.type === 'done') waiting?.resolve(event.value);
    else waiting?.reject(new Error(event.message));
  }

  #end(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
