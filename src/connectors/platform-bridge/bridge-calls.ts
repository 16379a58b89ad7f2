import * as z from 'zod';
import type { Platform } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import { type Clock, settledWithin, withDeadline } from '../../base/time.ts';
import type { BridgedCall, BridgedCalls } from '../contract/bridged-calls.ts';
import type { LegObserver, PlatformLeg } from '../contract/call-leg.ts';
import type { InboundAnswerer, RingsCalls } from '../contract/connector.ts';
import type { BridgeClient, Told } from './bridge-client.ts';

/** Of the call's room, in which agents only hear each other. */
const SAMPLE_RATE_HZ = 16_000;

export interface BridgeCallsDeps {
  readonly client: BridgeClient;
  readonly clock: Clock;
  /** Called when the gateway sets its handler of inbound calls. */
  readonly onAnswerer: (answerer: InboundAnswerer) => void;
}

/** Inbound calls of one platform by the platform bridge. They carry no audio. */
export class BridgeCalls implements RingsCalls, BridgedCalls {
  readonly #platform: Platform;
  readonly #deps: BridgeCallsDeps;
  readonly #legs = new Map<string, BridgeLeg>();
  #answerer: InboundAnswerer | null = null;

  constructor(platform: Platform, deps: BridgeCallsDeps) {
    this.#platform = platform;
    this.#deps = deps;
  }

  onInbound(answerer: InboundAnswerer): void {
    this.#answerer = answerer;
    this.#deps.onAnswerer(answerer);
  }

  ring({ callRef, ...call }: BridgedCall): 'ringing' | 'known' | 'busy' {
    if (this.#legs.has(callRef)) return 'known';
    const inbound = { ...call, capabilities: [], sampleRateHz: SAMPLE_RATE_HZ, autoAnswer: false };
    const answer = this.#answerer?.ring({
      ...inbound,
      take: (_media, observer) => this.#newLeg(callRef, observer),
    });
    return answer === 'ringing' ? 'ringing' : 'busy';
  }

  ended(callRef: string, reason: string): boolean {
    const leg = this.#legs.get(callRef);
    leg?.ended(reason);
    return leg !== undefined;
  }

  async close(deadlineMs: number): Promise<void> {
    const legs = [...this.#legs.values()];
    for (const leg of legs) leg.hangUp();
    const released = legs.map((leg) => leg.released);
    await settledWithin(this.#deps.clock, deadlineMs, released);
  }

  #newLeg(callRef: string, observer: LegObserver): BridgeLeg {
    const { client, clock } = this.#deps;
    const leg = new BridgeLeg(
      { client, clock, call: { platform: this.#platform, call_ref: callRef } },
      observer,
    );
    this.#legs.set(callRef, leg);
    void leg.released.then(() => this.#legs.delete(callRef));
    return leg;
  }
}

/** How long the bridge is asked again. */
const DECISION_MS = 10_000;

const Done = z.object({ status: z.literal('ok') });

interface BridgeLegDeps {
  readonly client: BridgeClient;
  readonly clock: Clock;
  /** Names the call to the bridge. */
  readonly call: { readonly platform: string; readonly call_ref: string };
}

/** An inbound call that the platform bridge told. It is told in turn what the agent decides. */
class BridgeLeg implements PlatformLeg {
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
