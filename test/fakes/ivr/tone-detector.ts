/** ITU-T Q.23, in Hz. */
const ROWS_HZ = [697, 770, 852, 941] as const;
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633] as const;
const KEYPAD = ['123A', '456B', '789C', '*0#D'] as const;

const RATE_HZ = 8_000;
/** 20 ms: long enough to tell 697 from 770 Hz. */
const BLOCK = 160;
const HOP = BLOCK / 2;
/** Blocks in a row that make a digit, and blocks without it that end it: 30 ms of tone, 30 ms of anything else. */
const FIRM = 2;
/** ITU-T Q.24: signals down to −25 dBm0 count. A sine at full scale has 3.17 dBm0. */
const LEAST_AMPLITUDE = 32_767 * 10 ** ((-25 - 3.17) / 20);
/** Q.24: the higher tone may be 4 dB louder than the lower one, and 8 dB softer. */
const MOST_TWIST = 10 ** (4 / 20);
const LEAST_TWIST = 10 ** (-8 / 20);
/** The two tones against all others of the keypad, and their share of the power: speech has more besides. */
const SELECTIVITY = 10 ** (8 / 20);
const PURITY = 0.7;

/** Reads in-band digits from 8 kHz audio, by Goertzel's algorithm with the limits of ITU-T Q.24. */
export class ToneDetector {
  readonly #onDigit: (digit: string) => void;
  readonly #block = new Int16Array(BLOCK);
  #filled = 0;
  /** The digit that is sounding, reported already; empty: none. */
  #digit = '';
  #candidate = '';
  #seen = 0;

  constructor(onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
  }

  /**
   * Takes the next samples, any number; null: a packet of them was lost, and says neither that a tone goes on nor that it is
   * over. Returns whether there was the sound of a key in them.
   */
  take(samples: Int16Array | null): boolean {
    if (samples === null) {
      this.#filled = 0;
      return false;
    }
    let isKey = false;
    for (const sample of samples) {
      this.#block[this.#filled++] = sample;
      if (this.#filled < BLOCK) continue;
      const digit = digitIn(this.#block);
      isKey ||= digit !== '';
      this.#judge(digit);
      this.#block.copyWithin(0, HOP);
      this.#filled = HOP;
    }
    return isKey;
  }

  #judge(found: string): void {
    if (found === this.#digit) {
      this.#seen = 0;
      return;
    }
    this.#seen = found === this.#candidate ? this.#seen + 1 : 1;
    this.#candidate = found;
    if (this.#seen < FIRM) return;
    this.#digit = found;
    this.#seen = 0;
    if (found !== '') this.#onDigit(found);
  }
}

/** Returns the digit that sounds in all of a block; empty: none. */
function digitIn(block: Int16Array): string {
  const rows = ROWS_HZ.map((hz) => amplitude(block, hz));
  const columns = COLUMNS_HZ.map((hz) => amplitude(block, hz));
  const [row, column] = [loudest(rows), loudest(columns)];
  const [low, high] = [rows[row]!, columns[column]!];
  if (Math.min(low, high) < LEAST_AMPLITUDE) return '';
  if (high > low * MOST_TWIST || high < low * LEAST_TWIST) return '';
  if (rows.some((each, i) => i !== row && each * SELECTIVITY > low)) return '';
  if (columns.some((each, i) => i !== column && each * SELECTIVITY > high)) return '';
  const power = block.reduce((sum, sample) => sum + sample * sample, 0) / block.length;
  return (low * low + high * high) / 2 < power * PURITY ? '' : KEYPAD[row]![column]!;
}

function loudest(amplitudes: readonly number[]): number {
  return amplitudes.indexOf(Math.max(...amplitudes));
}

/** Goertzel: the amplitude of one frequency. */
function amplitude(block: Int16Array, frequencyHz: number): number {
  const radians = (2 * Math.PI * frequencyHz) / RATE_HZ;
  const factor = 2 * Math.cos(radians);
  let [last, beforeLast] = [0, 0];
  for (const sample of block) [last, beforeLast] = [sample + factor * last - beforeLast, last];
  return (2 / block.length) * Math.sqrt(last * last + beforeLast * beforeLast - factor * last * beforeLast);
}
