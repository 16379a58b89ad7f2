/** Taps at the lower of the two rates. Eight are multiplied at a time. */
const BASE_TAPS = 40;
/** Middle of the transition band, as a fraction of half the lower rate. */
const CUTOFF = 0.94;
/** Kaiser window parameter for a stop band about 70 dB down. */
const KAISER_BETA = 6.8;
/** 1.0 in the coefficients' fixed point. Their sums with 16-bit samples stay within 32 bits. */
const UNITY = 2 ** 14;
/**
 * Maximum size of one filter. Rate pairs that would need more get fewer phases, and each position uses the nearest
 * phase.
 */
export const MAX_FILTER_BYTES = 98_304;
/**
 * Filters cached for further resamplers with the same rates. The cache is limited because an agent may declare any
 * rate.
 */
const MAX_KEPT = 32;

/**
 * The low-pass filter between two rates, split into one short filter for each position that an output sample can have
 * between two input samples. All resamplers of a thread with the same rates share it.
 */
export interface PolyphaseFilter {
  /** Output and input rate divided by their greatest common divisor. */
  readonly up: number;
  readonly down: number;
  /** Taps of one phase, a multiple of eight. */
  readonly taps: number;
  /** Number of phases; equals `up` unless the filter would be too large. */
  readonly phases: number;
  /**
   * `phases + 1` filters of `taps` each, for the oldest input sample first. The last is the first phase, one sample
   * later.
   */
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

/** Low-pass filter centred `fraction` of a sample behind the middle. */
function windowedSinc(taps: number, fraction: number, cutoff: number): number[] {
  const half = taps / 2;
  return Array.from({ length: taps }, (_, i) => {
    const distance = taps - 1 - i + fraction - half;
    return sinc(cutoff * distance) * kaiser(distance / half);
  });
}

/**
 * Converts to fixed point with a gain of exactly one. Each rounding error is carried to the next tap, so the errors
 * cancel.
 */
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

/** Kaiser window at `x`, from -1 to 1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order zero, computed by its power series. */
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
