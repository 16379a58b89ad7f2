/** Taps at the lower of the two rates; eight are multiplied at a time. */
const BASE_TAPS = 40;
/** Middle of the transition band, as a part of the lower rate's half. */
const CUTOFF = 0.94;
/** Kaiser window for a stop band some 70 dB down. */
const KAISER_BETA = 6.8;
/** One in the fixed point of the coefficients: their sums with 16-bit samples stay within 32 bits. */
const UNITY = 2 ** 14;
/** Most bytes of one filter. Odd rates that would need more get fewer phases, and each position the nearest. */
export const MAX_FILTER_BYTES = 98_304;
/** Filters kept for the next resampler of the same rates; an agent may declare any rate. */
const MAX_KEPT = 32;

/**
 * The low-pass filter between two rates, cut into one short filter for every position that an output sample can have
 * between two input samples. Shared by all resamplers of a thread that have the same rates.
 */
export interface PolyphaseFilter {
  /** Output and input rate without their common factor. */
  readonly up: number;
  readonly down: number;
  /** Taps of one phase, a multiple of eight. */
  readonly taps: number;
  /** Phases in `coefficients`; equals `up` unless that would be too many. */
  readonly phases: number;
  /** `phases + 1` times `taps`, oldest input sample first; the last phase is the first one, a sample later. */
  readonly coefficients: Int16Array;
}

const kept = new Map<string, PolyphaseFilter>();

export function polyphaseFilter(inRateHz: number, outRateHz: number): PolyphaseFilter {
  const key = `${inRateHz}/${outRateHz}`;
  const known = kept.get(key);
  if (known) return known;
  const made = design(inRateHz, outRateHz);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(key, made);
  return made;
}

function design(inRateHz: number, outRateHz: number): PolyphaseFilter {
  const common = greatestCommonDivisor(inRateHz, outRateHz);
  const up = outRateHz / common;
  const taps = 8 * Math.ceil((BASE_TAPS * Math.max(1, inRateHz / outRateHz)) / 8);
  const phases = Math.min(up, Math.floor(MAX_FILTER_BYTES / (taps * Int16Array.BYTES_PER_ELEMENT)) - 1);
  const coefficients = new Int16Array((phases + 1) * taps);
  const cutoff = CUTOFF * Math.min(1, outRateHz / inRateHz);
  for (let phase = 0; phase <= phases; phase++) {
    coefficients.set(quantized(windowedSinc(taps, phase / phases, cutoff)), phase * taps);
  }
  return { up, down: inRateHz / common, taps, phases, coefficients };
}

/** Low-pass around a point `fraction` of a sample behind the middle. */
function windowedSinc(taps: number, fraction: number, cutoff: number): number[] {
  const half = taps / 2;
  return Array.from({ length: taps }, (_, i) => {
    const distance = taps - 1 - i + fraction - half;
    return sinc(cutoff * distance) * kaiser(distance / half);
  });
}

/** In fixed point with a gain of exactly one; each rounding error goes to the next tap, so that they cancel. */
function quantized(filter: readonly number[]): number[] {
  const gain = UNITY / filter.reduce((sum, tap) => sum + tap, 0);
  let exact = 0;
  let rounded = 0;
  return filter.map((tap) => {
    exact += tap * gain;
    const coefficient = Math.round(exact - rounded);
    rounded += coefficient;
    return coefficient;
  });
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Kaiser window at `x` from -1 to 1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order zero, by its power series. */
function bessel(x: number): number {
  let sum = 1;
  for (let term = 1, k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
