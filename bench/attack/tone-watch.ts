import { fitSine } from '../../test/support/tone-analysis.ts';

const WINDOW_MS = 10;
/** A window that does not go on where the one before ended. */
const MAX_PHASE_STEP_RAD = 0.35;
/** Of the level at which the tone is known to be. */
const MIN_LEVEL = 0.5;

/** Where a steady tone was not continued. */
export interface ToneLoss {
  readonly windows: number;
  readonly silentMs: number;
  readonly phaseJumps: number;
}

/** Follows a steady tone, however its samples are cut, and counts where it falls silent or jumps. */
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

  /** What was lost since it was last asked. */
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
