import { framePower } from '../audio/frame-power.ts';

/** Measures for 5 s after each reading: nobody looks at most calls. */
const TICKS_WATCHED = 250;
/** Falls to a quarter within half a second. */
const DECAY = 0.95;

/** How loud one direction of a call is now. */
export class LevelMeter {
  #power = 0;
  #ticks = 0;

  /** Notes the frame of each tick; nothing was heard when it is not voiced. */
  note(frame: Int16Array, voiced: boolean): void {
    if (this.#ticks === 0) return;
    this.#ticks--;
    this.#power = Math.max(voiced ? framePower(frame) : 0, this.#power * DECAY);
  }

  /** Returns the root mean square of the loudest recent frame, 0 to 1. The first reading after a while is 0. */
  read(): number {
    if (this.#ticks === 0) this.#power = 0;
    this.#ticks = TICKS_WATCHED;
    return Math.sqrt(this.#power);
  }
}
