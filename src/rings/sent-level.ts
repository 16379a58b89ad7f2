import { framePower } from '../audio/frame-power.ts';

/** Mean squares of 16-bit samples fit into 30 bits. */
const UNIT = 2 ** 30;

export const SENT_LEVEL_BYTES = 4;

/**
 * How loud the audio is that a call has just sent to its platform, in shared memory. The engine thread notes every frame
 * in the tick that sends it, so the level is in time with what can come back as an echo. A bridge thread takes it.
 */
export class SentLevel {
  readonly #power: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#power = new Int32Array(memory);
  }

  note(frame: Int16Array): void {
    const power = Math.round(framePower(frame) * UNIT);
    if (power > Atomics.load(this.#power, 0)) Atomics.store(this.#power, 0, power);
  }

  /** Returns the power of the loudest frame since the last call, 0 to 1. */
  take(): number {
    return Atomics.exchange(this.#power, 0, 0) / UNIT;
  }
}
