import { TRANSFORM_SIZE, transformed } from './fourier.ts';

/** Rate of the audio whose spectrum is taken. What tells speech from noise lies below 4 kHz. */
export const SPECTRUM_RATE_HZ = 8_000;
/** 40 ms: three periods of a deep voice. */
const WINDOW = 320;
const FULL_SCALE = 0x8000;

export const BINS = TRANSFORM_SIZE / 2;
/** Width of a bin. The first lies around 0 Hz. */
export const BIN_HZ = SPECTRUM_RATE_HZ / TRANSFORM_SIZE;

/** Hann's window. */
export const WINDOW_WEIGHTS = Float64Array.from({ length: WINDOW }, (_, i) => {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW);
});
const ENERGY = WINDOW_WEIGHTS.reduce((sum, weight) => sum + weight * weight, 0);
/** Makes the powers of all bins add up to that of the signal, 0 to 1. */
const SCALE = 2 / (TRANSFORM_SIZE * ENERGY * FULL_SCALE ** 2);

/** Used by all voices of a thread in turn. */
const weighted = new Float64Array(TRANSFORM_SIZE);

/** The power spectrum of a voice's last 40 ms. */
export class Spectrum {
  /** Power in each bin, relative to full scale. */
  readonly powers = new Float64Array(BINS);
  readonly #samples = new Float64Array(WINDOW);

  /** Takes the next 20 ms, at 8 kHz. */
  take(frame: Int16Array): void {
    const samples = this.#samples;
    samples.copyWithin(0, frame.length);
    const from = WINDOW - frame.length;
    for (let i = 0; i < frame.length; i++) samples[from + i] = frame[i] as number;
    for (let i = 0; i < WINDOW; i++) weighted[i] = (samples[i] as number) * (WINDOW_WEIGHTS[i] as number);
    const { real, imaginary } = transformed(weighted);
    for (let bin = 0; bin < BINS; bin++) {
      const re = real[bin] as number;
      const im = imaginary[bin] as number;
      this.powers[bin] = (re * re + im * im) * SCALE;
    }
  }
}
