import { G722Band, HIGHER_BAND, inBand, LOWER_BAND } from './g722-band.ts';
import type { Payload } from './payload.ts';

/**
 * G.722 at 64 kbit/s (ITU-T G.722, mode 1) between 16-bit linear PCM at 16 kHz and bytes: a byte is two samples. Two mirror
 * filters split the sound at 4 kHz into bands of 8 kHz. Each byte has a code of the higher band, two bits, and one of the
 * lower band, six bits.
 */

/** Coefficients of the mirror filters, the even ones; the odd ones are the same in reverse. Their sum is 1.0 = 4,096. */
const MIRROR = Int16Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);
/** Samples that the filters need before the first of a call. */
const PAST_SAMPLES = 2 * MIRROR.length - 2;
/** What a codec takes at a time: 60 ms. */
export const MAX_G722_BYTES = 480;
/** Samples by which the filters of an encoder and a decoder delay. */
export const G722_AHEAD_SAMPLES = PAST_SAMPLES;

/** Decision levels of the lower band between 30 magnitudes, as fractions of the step: 1.0 is 4,096. */
const DECISIONS = Int16Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650],
  ...[714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
);
/** Codes of the magnitudes, which count from 1. The smallest two of the negative ones are apart from the others. */
const POSITIVE_CODES = Uint8Array.from({ length: 31 }, (_, magnitude) => 62 - magnitude);
const NEGATIVE_CODES = Uint8Array.from(
  { length: 31 },
  (_, magnitude) => (magnitude < 3 ? 64 : 34) - magnitude,
);
/** The only decision level of the higher band. */
const HIGHER_DECISION = 564;

/** What the codes of the lower band stand for when all six bits have arrived, as fractions of the step: 1.0 is 32,768. */
const LOWER_LEVELS = Int16Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360],
  ...[
    -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688,
  ],
  ...[-1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856],
  ...[7192, 6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728],
  ...[432, 136, -432, -136],
);

/** Scratch buffer: past and present input of the filters. Only one codec at a time runs on a thread. */
const filtered = new Int16Array(PAST_SAMPLES + 2 * MAX_G722_BYTES);
/** The bands of a decoder before it assumed something. */
const lowerBefore = new G722Band(LOWER_BAND);
const higherBefore = new G722Band(HIGHER_BAND);

export class G722Decoder {
  readonly #lower = new G722Band(LOWER_BAND);
  readonly #higher = new G722Band(HIGHER_BAND);
  readonly #past = new Int16Array(PAST_SAMPLES);

  /** Prepares for another stream. */
  reset(): void {
    this.#lower.reset();
    this.#higher.reset();
    this.#past.fill(0);
  }

  /** Takes over the state of another decoder. */
  follow(other: G722Decoder): void {
    this.#lower.follow(other.#lower);
    this.#higher.follow(other.#higher);
    this.#past.set(other.#past);
  }

  /** Decodes a payload of at most MAX_G722_BYTES to twice as many samples in `out` from `at`. */
  decode({ bytes, payloadOffset, payloadLength }: Payload, out: Int16Array, at: number): void {
    filtered.set(this.#past);
    for (let i = 0; i < payloadLength; i++) this.#decodePair(bytes[payloadOffset + i]!, PAST_SAMPLES + 2 * i);
    for (let i = 0; i < 2 * payloadLength; i += 2) {
      let first = 0;
      let second = 0;
      for (let tap = 0; tap < MIRROR.length; tap++) {
        const coefficient = MIRROR[tap]!;
        first += filtered[i + PAST_SAMPLES + 1 - 2 * tap]! * coefficient;
        second += filtered[i + 2 * tap]! * coefficient;
      }
      out[at + i] = saturated(first >> 11);
      out[at + i + 1] = saturated(second >> 11);
    }
    keepPast(this.#past, payloadLength);
  }

  /**
   * Moves on as if it had decoded `length` samples of a concealed loss, so that what comes next does not begin with a click.
   * They are followed by G722_AHEAD_SAMPLES more: the filters delay by so much. What the bands learn from them counts by
   * half, as concealment is only a guess: all or nothing of it is understood worse (STOI).
   */
  assume(samples: Int16Array, length: number): void {
    for (let i = 0; i < length + G722_AHEAD_SAMPLES; i++) filtered[i] = samples[i]!;
    splitBands(length);
    lowerBefore.follow(this.#lower);
    higherBefore.follow(this.#higher);
    for (let i = 0; i < length; i += 2) {
      const lowerBits = lowerCode(filtered[i]! - this.#lower.predicted, this.#lower.step);
      const higherBits = higherCode(filtered[i + 1]! - this.#higher.predicted, this.#higher.step);
      this.#decodePair((higherBits << 6) | lowerBits, i);
    }
    this.#lower.averageWith(lowerBefore);
    this.#higher.averageWith(higherBefore);
    const kept = Math.min(length, PAST_SAMPLES);
    this.#past.copyWithin(0, kept);
    for (let i = 1; i <= kept; i++) this.#past[PAST_SAMPLES - i] = filtered[length - i]!;
  }

  #decodePair(byte: number, at: number): void {
    const lower = this.#lower.sampleAt(LOWER_LEVELS[byte & 0x3f]!);
    this.#lower.adapt((byte & 0x3f) >> 2);
    const higher = this.#higher.sampleAt(HIGHER_BAND.levels[byte >> 6]!);
    this.#higher.adapt(byte >> 6);
    filtered[at] = lower + higher;
    filtered[at + 1] = lower - higher;
  }
}

export class G722Encoder {
  readonly #lower = new G722Band(LOWER_BAND);
  readonly #higher = new G722Band(HIGHER_BAND);
  readonly #past = new Int16Array(PAST_SAMPLES);

  /** Encodes the first `length` samples, at most twice MAX_G722_BYTES, to half as many bytes in `out` from `at`. */
  encode(samples: Int16Array, length: number, out: Uint8Array, at: number): void {
    filtered.set(this.#past);
    for (let i = 0; i < length; i++) filtered[PAST_SAMPLES + i] = samples[i]!;
    splitBands(length);
    for (let i = 0; i < length; i += 2) out[at + (i >> 1)] = this.#encodePair(filtered[i]!, filtered[i + 1]!);
    keepPast(this.#past, length >> 1);
  }

  #encodePair(lower: number, higher: number): number {
    const lowerBits = lowerCode(lower - this.#lower.predicted, this.#lower.step);
    this.#lower.adapt(lowerBits >> 2);
    const higherBits = higherCode(higher - this.#higher.predicted, this.#higher.step);
    this.#higher.adapt(higherBits);
    return (higherBits << 6) | lowerBits;
  }
}

/** Splits `length` samples, after those before them, into pairs of a lower and a higher one, in their own place. */
function splitBands(length: number): void {
  for (let i = 0; i < length; i += 2) {
    let even = 0;
    let odd = 0;
    for (let tap = 0; tap < MIRROR.length; tap++) {
      const coefficient = MIRROR[tap]!;
      even += filtered[i + 2 * tap]! * coefficient;
      odd += filtered[i + PAST_SAMPLES + 1 - 2 * tap]! * coefficient;
    }
    filtered[i] = inBand((odd + even) >> 14);
    filtered[i + 1] = inBand((odd - even) >> 14);
  }
}

function keepPast(past: Int16Array, pairs: number): void {
  for (let i = 0; i < PAST_SAMPLES; i++) past[i] = filtered[2 * pairs + i]!;
}

function saturated(sample: number): number {
  return Math.min(Math.max(sample, -32_768), 32_767);
}

/** The code of a difference between a sample and its prediction in the lower band: six bits (section 6.2.1). */
function lowerCode(difference: number, step: number): number {
  const isNegative = difference < 0;
  const magnitude = isNegative ? ~difference : difference;
  let least = 1;
  let most = DECISIONS.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (magnitude < Math.imul(DECISIONS[middle]!, step) >> 12) most = middle;
    else least = middle + 1;
  }
  return isNegative ? NEGATIVE_CODES[least]! : POSITIVE_CODES[least]!;
}

/** The code of a difference in the higher band: two bits. */
function higherCode(difference: number, step: number): number {
  const isNegative = difference < 0;
  const magnitude = isNegative ? ~difference : difference;
  const isSmall = magnitude < Math.imul(HIGHER_DECISION, step) >> 12;
  return (isNegative ? 0 : 2) + (isSmall ? 1 : 0);
}
