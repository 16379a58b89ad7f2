import { framePower, laterProduct } from '../../audio/frame-power.ts';
import { frameSamples } from '../../base/frame.ts';

/** ITU-T Q.23: the tones of the rows and columns, in Hz, and the keys row by row. */
const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633];
const KEYPAD = '123A456B789C*0#D';

/** Blocks overlap by half: 20 ms, which tell 697 from 770 Hz, every 10 ms. */
const BLOCKS_PER_FRAME = 2;
/** Blocks in a row that make a key, and blocks without it that end it: 30 ms of tone (ITU-T Q.24: 40 ms count), 40 ms of anything else. */
const BLOCKS_TO_BEGIN = 2;
const BLOCKS_TO_END = 3;
const FULL_SCALE_POWER = 0x8000 ** 2;
/** Q.24: tones down to −25 dBm0 count. A sine at full scale has 3.17 dBm0. */
const LEAST_AMPLITUDE = 32_767 * 10 ** ((-25 - 3.17) / 20);
/** Q.24: the higher tone may be 4 dB louder than the lower one, and 8 dB softer. */
const MOST_TWIST = 10 ** (4 / 20);
const LEAST_TWIST = 10 ** (-8 / 20);
/** The two tones against the others of the keypad, and their share of the power: speech has more besides. */
const SELECTIVITY = 10 ** (8 / 20);
const PURITY = 0.8;
/** Shares of the lower tone in the power of a key, by what its twist may be. */
const MOST_LOW = 1 / (1 + LEAST_TWIST * LEAST_TWIST);
const LEAST_LOW = 1 / (1 + MOST_TWIST * MOST_TWIST);
/** A block is short: its products differ from those of endless tones by so much of the power. */
const SLACK = 0.03;
const NONE = -1;
const TONES_HZ = [...ROWS_HZ, ...COLUMNS_HZ];
const LAG_HZ = 8_000;
/** How alike a key is to itself a sample of 8,000 Hz later, and two. Most audio is not: it needs no search for tones. */
const ONE_LATER = likeness(1);
const TWO_LATER = likeness(2);
/** Of the power, that of the lower tone is at least so much, where both are a key. It spares audio the higher tones. */
const LEAST_LOW_SHARE = PURITY * LEAST_LOW;

/** Hears keys as tones in the audio of a peer that knows no telephone events (ITU-T Q.23), by Goertzel's algorithm. */
export class ToneReceiver {
  readonly #factors: Float64Array;
  readonly #amplitudes = new Float64Array(TONES_HZ.length);
  readonly #block: Int16Array;
  readonly #hop: number;
  readonly #lag: number;
  /** The key that sounds, and the one that may: index in the keypad. */
  #key = NONE;
  #candidate = NONE;
  #blocks = 0;

  constructor(sampleRateHz: number) {
    this.#block = new Int16Array(frameSamples(sampleRateHz));
    this.#hop = this.#block.length / BLOCKS_PER_FRAME;
    this.#lag = Math.round(sampleRateHz / LAG_HZ);
    this.#factors = Float64Array.from(TONES_HZ, (hz) => 2 * Math.cos((2 * Math.PI * hz) / sampleRateHz));
  }

  /** Takes the next frame of 20 ms. Returns the key that begins in it, or null. */
  take(frame: Int16Array): string | null {
    if (this.#isIdle && this.#keyIn(frame) === NONE) {
      this.#block.set(frame);
      return null;
    }
    let begun: string | null = null;
    for (let at = 0; at < frame.length; at += this.#hop) {
      this.#shift(frame, at);
      begun = this.#judge(this.#keyIn(this.#block)) ?? begun;
    }
    return begun;
  }

  /** Of two blocks in a row, one is a whole frame: while nothing sounds like a key, the blocks between can be left out. */
  get #isIdle(): boolean {
    return this.#key === NONE && this.#blocks === 0;
  }

  #shift(frame: Int16Array, at: number): void {
    const kept = this.#block.length - this.#hop;
    this.#block.copyWithin(0, this.#hop);
    for (let i = 0; i < this.#hop; i++) this.#block[kept + i] = frame[at + i]!;
  }

  #judge(found: number): string | null {
    if (found === this.#key) {
      this.#blocks = 0;
      return null;
    }
    this.#blocks = found === this.#candidate ? this.#blocks + 1 : 1;
    this.#candidate = found;
    if (this.#blocks < (found === NONE ? BLOCKS_TO_END : BLOCKS_TO_BEGIN)) return null;
    this.#key = found;
    this.#blocks = 0;
    return found === NONE ? null : KEYPAD[found]!;
  }

  /** The key that sounds in all of a block; NONE: none. */
  #keyIn(block: Int16Array): number {
    const share = framePower(block);
    const power = share * FULL_SCALE_POWER;
    if (power < LEAST_AMPLITUDE * LEAST_AMPLITUDE || !this.#mayBeKey(share)) return NONE;
    const row = this.#loudest(block, 0);
    const low = this.#amplitudes[row]!;
    if (low < LEAST_AMPLITUDE || (low * low) / 2 < power * LEAST_LOW_SHARE || !this.#standsOut(row, 0))
      return NONE;
    const column = this.#loudest(block, ROWS_HZ.length);
    const high = this.#amplitudes[column]!;
    if (high < LEAST_AMPLITUDE || !this.#standsOut(column, ROWS_HZ.length)) return NONE;
    if (high > low * MOST_TWIST || high < low * LEAST_TWIST) return NONE;
    const isPure = (low * low + high * high) / 2 >= power * PURITY;
    return isPure ? row * COLUMNS_HZ.length + (column - ROWS_HZ.length) : NONE;
  }

  /** Whether the block that was measured last, which has this power of full scale, is as alike to itself as a key. */
  #mayBeKey(power: number): boolean {
    const isLikely = isWithin(laterProduct(this.#lag) / power, ONE_LATER);
    return isLikely && isWithin(laterProduct(2 * this.#lag) / power, TWO_LATER);
  }

  /** Measures four tones at once: their recurrences do not wait for each other, so that takes hardly longer than one. */
  #measure(block: Int16Array, from: number): void {
    const factorA = this.#factors[from]!;
    const factorB = this.#factors[from + 1]!;
    const factorC = this.#factors[from + 2]!;
    const factorD = this.#factors[from + 3]!;
    let lastA = 0;
    let beforeA = 0;
    let lastB = 0;
    let beforeB = 0;
    let lastC = 0;
    let beforeC = 0;
    let lastD = 0;
    let beforeD = 0;
    for (let i = 0; i < block.length; i++) {
      const sample = block[i]!;
      const nextA = sample + factorA * lastA - beforeA;
      beforeA = lastA;
      lastA = nextA;
      const nextB = sample + factorB * lastB - beforeB;
      beforeB = lastB;
      lastB = nextB;
      const nextC = sample + factorC * lastC - beforeC;
      beforeC = lastC;
      lastC = nextC;
      const nextD = sample + factorD * lastD - beforeD;
      beforeD = lastD;
      lastD = nextD;
    }
    this.#amplitudes[from] = this.#amplitude(factorA, lastA, beforeA);
    this.#amplitudes[from + 1] = this.#amplitude(factorB, lastB, beforeB);
    this.#amplitudes[from + 2] = this.#amplitude(factorC, lastC, beforeC);
    this.#amplitudes[from + 3] = this.#amplitude(factorD, lastD, beforeD);
  }

  /** The amplitude of a tone by what its recurrence ends with. */
  #amplitude(factor: number, last: number, beforeLast: number): number {
    const square = last * last + beforeLast * beforeLast - factor * last * beforeLast;
    return (2 / this.#block.length) * Math.sqrt(Math.max(square, 0));
  }

  /** Measures the tones from one on, which are rows or columns, in a block, and returns the loudest. */
  #loudest(block: Int16Array, from: number): number {
    this.#measure(block, from);
    let loudest = from;
    for (let tone = from + 1; tone < from + ROWS_HZ.length; tone++)
      if (this.#amplitudes[tone]! > this.#amplitudes[loudest]!) loudest = tone;
    return loudest;
  }

  #standsOut(tone: number, from: number): boolean {
    for (let other = from; other < from + ROWS_HZ.length; other++)
      if (other !== tone && this.#amplitudes[other]! * SELECTIVITY > this.#amplitudes[tone]!) return false;
    return true;
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

/** How alike a key, with anything that may sound beside it, is to itself so many samples of 8,000 Hz later; 1: its power. */
function likeness(lag: number): Range {
  const of = (hz: number): number => Math.cos((2 * Math.PI * hz * lag) / LAG_HZ);
  const least = LEAST_LOW * of(ROWS_HZ.at(-1)!) + (1 - LEAST_LOW) * of(COLUMNS_HZ.at(-1)!);
  const most = MOST_LOW * of(ROWS_HZ[0]!) + (1 - MOST_LOW) * of(COLUMNS_HZ[0]!);
  const rest = 1 - PURITY + SLACK;
  return { least: PURITY * least - rest, most: PURITY * most + rest };
}

function isWithin(value: number, { least, most }: Range): boolean {
  return value >= least && value <= most;
}
