/** Coefficients of the zero section of the predictor, and past differences that it weighs. */
const ZEROS = 6;
/** Mantissas of a step: 2,048 · 2^(i/32). Its logarithm has 11 bits of fraction, of which five count. */
const MANTISSAS = Int16Array.from({ length: 32 }, (_, i) => Math.round(2048 * 2 ** (i / 32)));

/** What distinguishes the two bands (ITU-T G.722 tables 13 to 21). */
export interface BandDesign {
  /** The difference that each code stands for, as a fraction of the step: 1.0 is 32,768. */
  readonly levels: Int16Array;
  /** What each code adds to the logarithm of the step. */
  readonly growths: Int16Array;
  /** The largest logarithm of a step. */
  readonly maxLog: number;
  /** Binary places by which the mantissa exceeds the smallest step. */
  readonly places: number;
}

/** Six bits per sample are sent; the state depends on the first four, so that the others may be lost on the way. */
export const LOWER_BAND: BandDesign = {
  levels: Int16Array.of(
    ...[0, -20456, -12896, -8968, -6288, -4240, -2584, -1200],
    ...[20456, 12896, 8968, 6288, 4240, 2584, 1200, 0],
  ),
  growths: Int16Array.of(
    ...[-60, 3042, 1198, 538, 334, 172, 58, -30],
    ...[3042, 1198, 538, 334, 172, 58, -30, -60],
  ),
  maxLog: 18_432,
  places: 8,
};

/** Two bits per sample. */
export const HIGHER_BAND: BandDesign = {
  levels: Int16Array.of(-7408, -1616, 7408, 1616),
  growths: Int16Array.of(798, -214, 798, -214),
  maxLog: 22_528,
  places: 10,
};

/**
 * One band of G.722: ADPCM at 8 kHz whose step and predictor follow from the codes alone, so encoder and decoder keep the
 * same state (ITU-T G.722 section 3, with the arithmetic of section 6.2: 16 bits, saturating).
 */
export class G722Band {
  /** The next sample as predicted. */
  predicted = 0;
  /** The unit of the next difference. */
  step = 0;
  readonly #design: BandDesign;
  #log = 0;
  /** Coefficients of the poles, and the last two samples that they weigh, doubled. */
  #pole1 = 0;
  #pole2 = 0;
  #sample1 = 0;
  /** Signs of the last two outputs of the zero section with their difference: 0 or −1. */
  #sign1 = 0;
  #sign2 = 0;
  /** The part of the prediction that is due to the zeros. */
  #byZeros = 0;
  readonly #zeros = new Int32Array(ZEROS);
  /** The last differences, doubled, the newest first. */
  readonly #differences = new Int32Array(ZEROS);

  constructor(design: BandDesign) {
    this.#design = design;
    this.reset();
  }

  reset(): void {
    this.predicted = 0;
    this.#log = 0;
    this.#pole1 = 0;
    this.#pole2 = 0;
    this.#sample1 = 0;
    this.#sign1 = 0;
    this.#sign2 = 0;
    this.#byZeros = 0;
    this.#zeros.fill(0);
    this.#differences.fill(0);
    this.#scale();
  }

  /** Takes over the state of another band of the same design. */
  follow(other: G722Band): void {
    this.predicted = other.predicted;
    this.step = other.step;
    this.#log = other.#log;
    this.#pole1 = other.#pole1;
    this.#pole2 = other.#pole2;
    this.#sample1 = other.#sample1;
    this.#sign1 = other.#sign1;
    this.#sign2 = other.#sign2;
    this.#byZeros = other.#byZeros;
    this.#zeros.set(other.#zeros);
    this.#differences.set(other.#differences);
  }

  /** Takes the mean of its own step and predictor and those of another band of the same design. */
  averageWith(other: G722Band): void {
    this.#log = (this.#log + other.#log) >> 1;
    this.#scale();
    this.#pole1 = (this.#pole1 + other.#pole1) >> 1;
    this.#pole2 = (this.#pole2 + other.#pole2) >> 1;
    for (let i = 0; i < ZEROS; i++) this.#zeros[i] = (this.#zeros[i]! + other.#zeros[i]!) >> 1;
  }

  /** The sample that differs from the prediction by a fraction of the step: 1.0 is 32,768. */
  sampleAt(level: number): number {
    return inBand(this.predicted + (Math.imul(this.step, level) >> 15));
  }

  /** Moves on by one sample that has this code. */
  adapt(code: number): void {
    const { levels, growths, maxLog } = this.#design;
    const difference = Math.imul(this.step, levels[code]!) >> 15;
    this.#log = clamp((Math.imul(this.#log, 127) >> 7) + growths[code]!, 0, maxLog);
    this.#scale();
    this.#adaptPoles(saturated(this.#byZeros + difference) >> 15);
    this.#adaptZeros(difference);
    this.#predict(saturated(this.predicted + difference));
  }

  #scale(): void {
    const shift = this.#design.places - (this.#log >> 11);
    const mantissa = MANTISSAS[(this.#log >> 6) & 31]!;
    this.step = (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2;
  }

  #adaptPoles(sign: number): void {
    const slope = saturated(this.#pole1 << 2);
    const like1 = likeness(sign, this.#sign1);
    const pull = Math.min(-like1 * slope, 32_767);
    const push = 128 * likeness(sign, this.#sign2);
    const pole2 = clamp(push + (pull >> 7) + (Math.imul(this.#pole2, 32_512) >> 15), -12_288, 12_288);
    const limit = 15_360 - pole2;
    this.#pole1 = clamp(192 * like1 + (Math.imul(this.#pole1, 32_640) >> 15), -limit, limit);
    this.#pole2 = pole2;
    this.#sign2 = this.#sign1;
    this.#sign1 = sign;
  }

  #adaptZeros(difference: number): void {
    const zeros = this.#zeros;
    const differences = this.#differences;
    const sign = difference >> 15;
    const push = difference === 0 ? 0 : 128;
    let newer = saturated(difference << 1);
    let sum = 0;
    for (let i = 0; i < ZEROS; i++) {
      const older = differences[i]!;
      const zero = (likeness(older >> 15, sign) * push + (Math.imul(zeros[i]!, 32_640) >> 15)) | 0;
      zeros[i] = zero;
      differences[i] = newer;
      sum = (sum + (Math.imul(newer, zero) >> 15)) | 0;
      newer = older;
    }
    this.#byZeros = saturated(sum);
  }

  #predict(sample: number): void {
    const doubled = saturated(sample << 1);
    const byPoles = (Math.imul(this.#pole1, doubled) >> 15) + (Math.imul(this.#pole2, this.#sample1) >> 15);
    this.#sample1 = doubled;
    this.predicted = saturated(this.#byZeros + saturated(byPoles));
  }
}

/** Of two signs, each 0 or −1: 1 or −1. Without a branch, as no processor can predict what noise decides. */
function likeness(sign: number, other: number): number {
  return (sign ^ other) | 1;
}

/** Samples have 15 bits. */
export function inBand(sample: number): number {
  return clamp(sample, -16_384, 16_383);
}

function saturated(value: number): number {
  return clamp(value, -32_768, 32_767);
}

/** Branches take a quarter less time here than Math.min and Math.max. */
function clamp(value: number, least: number, most: number): number {
  if (value < least) return least;
  if (value > most) return most;
  return value;
}
