import type { GatewayError } from '../base/errors.ts';
import type { CancelTimer, Clock } from '../base/time.ts';
import type { CallActor } from './call-actor.ts';
import type { CallEvent } from './call-event.ts';
import type { CallSubscriber } from './call-publisher.ts';
import { isOver } from './call-state.ts';

/** Live calls are counted this often, so that a long one is noticed while it lasts. */
const COUNT_MS = 60_000;

/** Whose minutes a call uses. */
export interface CallPayer {
  readonly accountId: string;
  readonly agentId: string;
}

/** The budgets of minutes of calls, per agent and account. */
export interface MinuteBudget {
  /** Why no new call may begin; null: one may. */
  refusal(payer: CallPayer): GatewayError | null;
  /** Whether calls under way must end. */
  isOverdrawn(payer: CallPayer): boolean;
  count(payer: CallPayer, lastedMs: number): void;
  /** Stores what was counted. */
  save(payer: CallPayer): Promise<void>;
}

interface CallMinutesDeps {
  readonly budget: MinuteBudget;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** Counts the time that calls are active, and ends those that go on long after the budget is used up. */
export class CallMinutes implements CallSubscriber {
  readonly #deps: CallMinutesDeps;
  /** Active calls, and until when each is counted, on the monotonic clock. */
  readonly #counted = new Map<CallActor, number>();
  #cancelNext: CancelTimer = () => {};

  constructor(deps: CallMinutesDeps) {
    this.#deps = deps;
  }

  happened(call: CallActor, event: CallEvent): void {
    if (event.type !== 'call_state') return;
    if (call.state.name === 'active') this.#begin(call);
    else if (isOver(call.state)) this.#end(call);
  }

  #begin(call: CallActor): void {
    if (this.#counted.size === 0) this.#countLater();
    this.#counted.set(call, this.#deps.clock.monotonicMs());
  }

  #end(call: CallActor): void {
    if (!this.#counted.has(call)) return;
    this.#count(call);
    this.#counted.delete(call);
    if (this.#counted.size === 0) this.#cancelNext();
    this.#save(call.identity);
  }

  #countLater(): void {
    this.#cancelNext = this.#deps.clock.after(COUNT_MS, () => this.#countAll());
  }

  #countAll(): void {
    this.#countLater();
    for (const call of this.#counted.keys()) this.#count(call);
    const payers = Map.groupBy(this.#counted.keys(), ({ identity }) => identity.agentId);
    for (const calls of payers.values()) this.#settle(calls);
  }

  /** `calls`: all of one agent. */
  #settle(calls: readonly CallActor[]): void {
    const { identity } = calls[0]!;
    this.#save(identity);
    if (!this.#deps.budget.isOverdrawn(identity)) return;
    for (const call of calls) call.post({ type: 'hang_up', reason: 'the budget of minutes is used up' });
  }

  #count(call: CallActor): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const lastedMs = nowMs - this.#counted.get(call)!;
    this.#counted.set(call, nowMs);
    this.#deps.budget.count(call.identity, Math.round(lastedMs));
  }

  #save(payer: CallPayer): void {
    this.#deps.budget.save(payer).catch(this.#deps.onFailure);
  }
}
