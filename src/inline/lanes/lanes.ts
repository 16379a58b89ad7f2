import { type CancelTimer, type Clock, settledWithin } from '../../base/time.ts';
import type { BusyLane } from '../../store/inline/delivery-turns.ts';

/** Runs one turn of a lane, if something waits there. Resolves with whether more does. Must not reject. */
export type RunLane = (lane: BusyLane, signal: AbortSignal) => Promise<boolean>;

interface Lane {
  readonly place: BusyLane;
  /** The turn under way; null while the lane waits for more to arrive. */
  turn: { readonly abort: AbortController; readonly done: Promise<void> } | null;
  /** Something arrived during the turn. */
  again: boolean;
  /** How long to wait after the turn. */
  pauseMs: number;
  cancelWait: CancelTimer;
}

/** One turn at a time in each conversation and call of each agent. What arrives during a turn makes another one. */
export class Lanes {
  readonly #clock: Clock;
  readonly #run: RunLane;
  readonly #lanes = new Map<string, Lane>();
  #isClosed = false;

  constructor(clock: Clock, run: RunLane) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Number of lanes that wait or have a turn under way. */
  get size(): number {
    return this.#lanes.size;
  }

  /**
   * Runs a turn after `delayMs`, in which more may arrive, or after the turn under way; with `pauseMs`, not before that. A
   * wait is not made longer.
   */
  offer(place: BusyLane, delayMs: number, pauseMs = 0): void {
    if (this.#isClosed) return;
    const key = keyOf(place);
    const known = this.#lanes.get(key);
    if (known) {
      known.again = true;
      known.pauseMs = Math.max(known.pauseMs, pauseMs);
      if (delayMs === 0) this.#begin(key, known);
      return;
    }
    const lane: Lane = { place, turn: null, again: false, pauseMs: 0, cancelWait: () => {} };
    this.#lanes.set(key, lane);
    this.#beginAfter(Math.max(delayMs, pauseMs), key, lane);
  }

  /** Does not wait any longer to run the next turn of a lane, if it has one. */
  hurry(agentId: string, lane: string): void {
    const key = keyOf({ agentId, lane });
    const known = this.#lanes.get(key);
    if (known && !this.#isClosed) this.#begin(key, known);
  }

  /** Ends the turn under way with a reason. Returns false if there is none. */
  interrupt(agentId: string, lane: string, reason: Error): boolean {
    const turn = this.#lanes.get(keyOf({ agentId, lane }))?.turn;
    turn?.abort.abort(reason);
    return turn !== undefined && turn !== null;
  }

  /** Ends all turns of an agent that are under way. */
  interruptAgent(agentId: string, reason: Error): void {
    for (const { place, turn } of this.#lanes.values())
      if (place.agentId === agentId) turn?.abort.abort(reason);
  }

  /** Begins no more turns, and lets those under way end for up to `deadlineMs`. */
  async close(deadlineMs: number, reason: Error): Promise<void> {
    this.#isClosed = true;
    for (const { cancelWait } of this.#lanes.values()) cancelWait();
    const turns = [...this.#lanes.values()].flatMap(({ turn }) => turn ?? []);
    await settledWithin(
      this.#clock,
      deadlineMs,
      turns.map(({ done }) => done),
    );
    for (const { abort } of turns) abort.abort(reason);
    await Promise.allSettled(turns.map(({ done }) => done));
  }

  #beginAfter(delayMs: number, key: string, lane: Lane): void {
    if (delayMs === 0) this.#begin(key, lane);
    else lane.cancelWait = this.#clock.after(delayMs, () => this.#begin(key, lane));
  }

  #begin(key: string, lane: Lane): void {
    if (lane.turn !== null) return;
    lane.cancelWait();
    lane.again = false;
    lane.pauseMs = 0;
    const abort = new AbortController();
    const done = this.#run(lane.place, abort.signal).then((hasMore) => this.#ended(key, lane, hasMore));
    lane.turn = { abort, done };
  }

  #ended(key: string, lane: Lane, hasMore: boolean): void {
    lane.turn = null;
    if ((lane.again || hasMore) && !this.#isClosed) this.#beginAfter(lane.pauseMs, key, lane);
    else this.#lanes.delete(key);
  }
}

function keyOf({ agentId, lane }: Pick<BusyLane, 'agentId' | 'lane'>): string {
  return `${agentId} ${lane}`;
}
