import * as z from 'zod';
import type { Termination } from '../../base/termination.ts';
import type { Clock } from '../../base/time.ts';
import { withDeadline } from '../../base/waits.ts';
import type { LegObserver, PlatformLeg } from '../contract/call-leg.ts';
import type { BridgeClient, Told } from './bridge-client.ts';

/** How long the bridge is asked again. */
const DECISION_MS = 10_000;

const Done = z.object({ status: z.literal('ok') });

export interface BridgeLegDeps {
  readonly client: BridgeClient;
  readonly clock: Clock;
  /** Names the call to the bridge. */
  readonly call: { readonly platform: string; readonly call_ref: string };
}

/** An inbound call that the platform bridge told. It is told in turn what the agent decides. */
export class BridgeLeg implements PlatformLeg {
  readonly #deps: BridgeLegDeps;
  readonly #observer: LegObserver;
  readonly #over = Promise.withResolvers<void>();
  readonly #leaving = new AbortController();
  #isAnswered = false;
  #isOver = false;

  constructor(deps: BridgeLegDeps, observer: LegObserver) {
    this.#deps = deps;
    this.#observer = observer;
  }

  get released(): Promise<void> {
    return this.#over.promise;
  }

  accept(): void {
    void this.#accept();
  }

  refuse(): void {
    this.#leave('call_refuse', { result: 'refused', reason: 'refused by the agent' });
  }

  hangUp(): void {
    this.#leave('call_leave', { result: 'completed', reason: 'hung up' });
  }

  /** The call is over on the platform. */
  ended(reason: string): void {
    const result = this.#isAnswered ? 'completed' : 'missed';
    if (this.#end('remote', { result, reason })) this.#over.resolve();
  }

  async #accept(): Promise<void> {
    const told = await this.#tell('call_accept', this.#leaving.signal);
    if (this.#isOver) return;
    if (isDone(told)) {
      this.#isAnswered = true;
      this.#observer.answered();
      return;
    }
    const reason = told.kind === 'answered' ? 'the bridge no longer has the call' : told.reason;
    this.#end('lost', { result: 'failed', reason });
    this.#over.resolve();
  }

  #leave(type: 'call_refuse' | 'call_leave', termination: Termination): void {
    if (!this.#end('local', termination)) return;
    void this.#tell(type, new AbortController().signal).then(() => this.#over.resolve());
  }

  #end(by: 'local' | 'remote' | 'lost', termination: Termination): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#leaving.abort();
    this.#observer.ended(by, termination);
    return true;
  }

  async #tell(type: string, signal: AbortSignal): Promise<Told> {
    const { client, clock, call } = this.#deps;
    return await withDeadline(clock, DECISION_MS, signal, (limit) =>
      client.insist({ type, ...call }, limit, 'repeat'),
    );
  }
}

function isDone(told: Told): boolean {
  return told.kind === 'answered' && Done.safeParse(told.answer).success;
}
