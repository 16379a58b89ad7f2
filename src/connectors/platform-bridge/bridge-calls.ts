import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import { settledWithin } from '../../base/waits.ts';
import type { BridgedCall, BridgedCalls } from '../contract/bridged-calls.ts';
import type { LegObserver } from '../contract/call-leg.ts';
import type { InboundAnswerer, RingsCalls } from '../contract/connector.ts';
import type { BridgeClient } from './bridge-client.ts';
import { BridgeLeg } from './bridge-leg.ts';

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
    const isTaken = this.#answerer?.ring({
      ...inbound,
      take: (_media, observer) => this.#newLeg(callRef, observer),
    });
    return isTaken ? 'ringing' : 'busy';
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
