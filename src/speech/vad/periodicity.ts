import { TRANSFORM_SIZE, transformed } from './fourier.ts';
import { BIN_HZ, SPECTRUM_RATE_HZ, WINDOW_WEIGHTS } from './spectrum.ts';

/** Where the harmonics of a voice are strong. */
const FROM = Math.round(80 / BIN_HZ);
const TO = Math.round(2_350 / BIN_HZ);
/** Voices vibrate 70 to 400 times a second. In samples. */
const SHORTEST = SPECTRUM_RATE_HZ / 400;
const LONGEST = Math.ceil(SPECTRUM_RATE_HZ / 70);
/** Longer periods overlap less in the window. Beyond this, what is left would be noise. */
const LEAST_OVERLAP = 0.45;

/** Makes pink noise flat. White noise then rises a little. */
const TILT = Float64Array.from({ length: TO }, (_, bin) => Math.sqrt(bin));
/** Share of the window's energy in which it overlaps itself, by the shift in samples. */
const OVERLAPS = Float64Array.from({ length: LONGEST + 1 }, (_, shift) =>
  Math.max(LEAST_OVERLAP, overlap(shift) / overlap(0)),
);

/** Used by all voices of a thread in turn. */
const weighted = new Float64Array(TRANSFORM_SIZE);

/**
 * How periodic a sound is, 0 to 1: the highest peak of the autocorrelation of its flattened spectrum. The level does not
 * matter. White and pink noise have 0.21, and in one frame of a thousand 0.36; vowels 0.4 to 0.9.
 */
export function periodicity(spectrum: Float64Array): number {
  let sum = 0;
  for (let bin = FROM; bin < TO; bin++) {
    // Between amplitude and power (an exponent of 0.75), so that a few strong harmonics do not decide alone.
    const amplitude = Math.sqrt(spectrum[bin] as number);
    const weight = amplitude * Math.sqrt(amplitude) * (TILT[bin] as number);
    weighted[bin] = weight;
    sum += weight;
  }
  if (sum === 0) return 0;
  const { real } = transformed(weighted);
  let highest = 0;
  for (let lag = SHORTEST; lag <= LONGEST; lag++) {
    const correlation = (real[lag] as number) / (OVERLAPS[lag] as number);
    if (correlation > highest) highest = correlation;
  }
  return highest / sum;
}

function overlap(shift: number): number {
  const weights = WINDOW_WEIGHTS;
  return weights.reduce((sum, weight, i) => sum + weight * (weights[i + shift] ?? 0), 0);
}
