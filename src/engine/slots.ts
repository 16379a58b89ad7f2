import { SLOTS } from '../base/frame.ts';
import type { MediaCall } from './media-call.ts';

/** Another slot is taken into use when those in use have so many calls each: few calls need few wake-ups. */
const CALLS_BEFORE_NEXT_SLOT = 4;
/** Every resting call has a turn in so many. */
const RESTING_ROUNDS = 10;

/** The calls of a thread: those that are awake in their slots of the 20 ms, and those that rest. */
export class Slots {
  readonly #awake: MediaCall[][] = Array.from({ length: SLOTS }, () => []);
  readonly #resting: MediaCall[] = [];
  readonly #slotOf = new Map<MediaCall, number>();
  /** Calls that belong to each slot, awake or not. */
  readonly #counts = new Uint32Array(SLOTS);
  #nextResting = 0;

  /** Takes a call in; returns its slot, which it keeps. */
  add(call: MediaCall): number {
    const slot = this.#emptiest();
    this.#slotOf.set(call, slot);
    this.#counts[slot]!++;
    this.#listOf(call, slot).push(call);
    return slot;
  }

  remove(call: MediaCall): void {
    const slot = this.#slotOf.get(call);
    if (slot === undefined) return;
    this.#slotOf.delete(call);
    this.#counts[slot]!--;
    removeFrom(this.#awake[slot]!, call);
    removeFrom(this.#resting, call);
  }

  /** To be told when a call may have begun or ceased to rest. */
  settle(call: MediaCall): void {
    const slot = this.#slotOf.get(call);
    if (slot === undefined) return;
    const list = this.#listOf(call, slot);
    if (list.includes(call)) return;
    removeFrom(this.#awake[slot]!, call);
    removeFrom(this.#resting, call);
    list.push(call);
  }

  isOccupied(slot: number): boolean {
    return this.#awake[slot]!.length > 0;
  }

  /** The calls that have a tick in this slot; not to be kept. */
  awakeIn(slot: number): readonly MediaCall[] {
    return this.#awake[slot]!;
  }

  /** How many resting calls have their turn in one round; each has one in ten. */
  get restingTurns(): number {
    return Math.ceil(this.#resting.length / RESTING_ROUNDS);
  }

  /** The resting call whose turn it is. */
  nextResting(): MediaCall | undefined {
    this.#nextResting = this.#nextResting + 1 < this.#resting.length ? this.#nextResting + 1 : 0;
    return this.#resting[this.#nextResting];
  }

  #listOf(call: MediaCall, slot: number): MediaCall[] {
    return call.resting ? this.#resting : this.#awake[slot]!;
  }

  #emptiest(): number {
    const begun = this.#counts.findIndex((count) => count > 0 && count < CALLS_BEFORE_NEXT_SLOT);
    return begun >= 0 ? begun : this.#counts.indexOf(Math.min(...this.#counts));
  }
}

function removeFrom(list: MediaCall[], call: MediaCall): void {
  const index = list.indexOf(call);
  if (index >= 0) list.splice(index, 1);
}
