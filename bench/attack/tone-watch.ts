import { fitSine } from '../../test/support/tone-analysis.ts';

/** Tones of the phone and the agent. Neither repeats its phase within a few frames, so a lost frame shows. */
export const PHONE_TONE_HZ = 437;
export const AGENT_TONE_HZ = 611;
export const AMPLITUDE = 10_000;

const WINDOW_MS = 10;
/** A larger phase step between two windows is a jump. */
const MAX_PHASE_STEP_RAD = 0.35;
/** Below this share of the known level, a window counts as silent. */
const MIN_LEVEL = 0.5;

/** Interruptions of a steady tone. */
export interface ToneLoss {
  readonly windows: number;
  readonly silentMs: number;
  readonly phaseJumps: number;
}

/** Follows a steady tone, in pieces of any length, and counts silence and phase jumps. */
export class ToneWatch {
  readonly #sampleRateHz: number;
  readonly #toneHz: number;
  readonly #amplitude: number;
  readonly #window: Int16Array;
  #filled = 0;
  #expectedRad: number | null = null;
  #windows = 0;
  #silentMs = 0;
  #phaseJumps = 0;

  constructor(sampleRateHz: number, toneHz: number, amplitude: number) {
    this.#sampleRateHz = sampleRateHz;
    this.#toneHz = toneHz;
    this.#amplitude = amplitude;
    this.#window = new Int16Array((sampleRateHz * WINDOW_MS) / 1_000);
  }

  hear(samples: Int16Array): void {
    for (const sample of samples) {
      this.#window[this.#filled++] = sample;
      if (this.#filled === this.#window.length) this.#judge();
    }
  }

  /** Returns the losses since the last call. */
  take(): ToneLoss {
    const loss = { windows: this.#windows, silentMs: this.#silentMs, phaseJumps: this.#phaseJumps };
    this.#windows = this.#silentMs = this.#phaseJumps = 0;
    return loss;
  }

  #judge(): void {
    this.#filled = 0;
    this.#windows++;
    const { amplitude, phaseRad } = fitSine(this.#window, this.#sampleRateHz, this.#toneHz);
    if (amplitude < this.#amplitude * MIN_LEVEL) {
      this.#silentMs += WINDOW_MS;
      this.#expectedRad = null;
      return;
    }
    const step = this.#expectedRad === null ? 0 : wrapped(phaseRad - this.#expectedRad);
    if (Math.abs(step) > MAX_PHASE_STEP_RAD) this.#phaseJumps++;
    this.#expectedRad = phaseRad + (2 * Math.PI * this.#toneHz * WINDOW_MS) / 1_000;
  }
}

function wrapped(angleRad: number): number {
  return angleRad - 2 * Math.PI * Math.round(angleRad / (2 * Math.PI));
}
