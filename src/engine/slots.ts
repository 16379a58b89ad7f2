import { SLOTS } from '../base/frame.ts';
import type { MediaCall } from './media-call.ts';

/**
 * A new slot is used only when all slots in use have this much weight: few slots mean few wake-ups, and one costs as much
 * as several calls. Ten light calls take half of the millisecond until the next slot.
 */
const WEIGHT_BEFORE_NEXT_SLOT = 10;
/** Every other slot first: as long as there are free ones, a slot that takes long keeps no other one waiting. */
const ORDER = Array.from({ length: SLOTS }, (_, i) => (i < SLOTS / 2 ? i * 2 : (i - SLOTS / 2) * 2 + 1));
/** A call weighs as much as its sample rate is a multiple of this one: Opus at 48 kHz takes at least six times as long as G.711. */
const LIGHT_RATE_HZ = 8_000;
/** Every resting call has one turn per this many rounds. */
const RESTING_ROUNDS = 20;

/** The calls of a thread: active calls in the slots of the 20 ms, and resting calls. */
export class Slots {
  readonly #awake: MediaCall[][] = Array.from({ length: SLOTS }, () => []);
  readonly #resting: MediaCall[] = [];
  readonly #slotOf = new Map<MediaCall, number>();
  /** Weight of the calls assigned to each slot, active or resting. */
  readonly #weights = new Float64Array(SLOTS);
  #nextResting = 0;

  /** Adds a call and returns its slot, which stays the same. */
  add(call: MediaCall): number {
    const weight = weightOf(call);
    const slot = this.#slotFor(weight);
    this.#slotOf.set(call, slot);
    this.#weights[slot]! += weight;
    this.#listOf(call, slot).push(call);
    return slot;
  }

  remove(call: MediaCall): void {
    const slot = this.#slotOf.get(call);
    if (slot === undefined) return;
    this.#slotOf.delete(call);
    this.#weights[slot]! -= weightOf(call);
    removeFrom(this.#awake[slot]!, call);
    removeFrom(this.#resting, call);
  }

  /** Updates a call that may have started or stopped resting. */
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

  /** The calls that tick in this slot. Do not keep the array. */
  awakeIn(slot: number): readonly MediaCall[] {
    return this.#awake[slot]!;
  }

  /** Number of resting calls to serve in one round: a twentieth of them. */
  get restingTurns(): number {
    return Math.ceil(this.#resting.length / RESTING_ROUNDS);
  }

  /** Returns the next resting call, in turn. */
  nextResting(): MediaCall | undefined {
    this.#nextResting = this.#nextResting + 1 < this.#resting.length ? this.#nextResting + 1 : 0;
    return this.#resting[this.#nextResting];
  }

  #listOf(call: MediaCall, slot: number): MediaCall[] {
    return call.resting ? this.#resting : this.#awake[slot]!;
  }

  #slotFor(weight: number): number {
    const most = WEIGHT_BEFORE_NEXT_SLOT - weight;
    const least = Math.min(...this.#weights);
    const begun = ORDER.find((slot) => this.#weights[slot]! > 0 && this.#weights[slot]! <= most);
    return begun ?? ORDER.find((slot) => this.#weights[slot] === least)!;
  }
}

function weightOf({ sampleRateHz }: MediaCall): number {
  return sampleRateHz / LIGHT_RATE_HZ;
}

function removeFrom(list: MediaCall[], call: MediaCall): void {
  const index = list.indexOf(call);
  if (index >= 0) list.splice(index, 1);
}
