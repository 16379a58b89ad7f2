import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { onePer } from '../../base/one-per.ts';

/** ITU-T Q.23: the frequencies of each key's row and column, in Hz, by event code (RFC 4733 section 3.2). */
const ROWS_HZ = [941, 697, 697, 697, 770, 770, 770, 852, 852, 852, 941, 941, 697, 770, 852, 941];
const COLUMNS_HZ = [
  1336, 1209, 1336, 1477, 1209, 1336, 1477, 1209, 1336, 1477, 1209, 1477, 1633, 1633, 1633, 1633,
];
/**
 * Peaks of the two sines: −11 and −9 dBm0, as ETSI ES 201 235-2 has terminals send them. The higher tone is the louder one,
 * because lines attenuate it more.
 */
const ROW_PEAK = peakOf(-11);
const COLUMN_PEAK = peakOf(-9);

/** ITU-T G.711: a sine at full scale has 3.17 dBm0. */
function peakOf(levelDbm0: number): number {
  return 32_767 * 10 ** ((levelDbm0 - 3.17) / 20);
}

/** The sounds of keys, frame by frame. */
export class DtmfTone {
  readonly #sampleRateHz: number;
  readonly #frame: Int16Array;

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
    this.#frame = new Int16Array(frameSamples(sampleRateHz));
  }

  /** Returns 20 ms of an event's tone, the `index`-th since its start. The next call reuses the frame. */
  frame(event: number, index: number): Int16Array {
    this.#frame.fill(0);
    this.#add(ROWS_HZ[event] as number, ROW_PEAK, index);
    this.#add(COLUMNS_HZ[event] as number, COLUMN_PEAK, index);
    return this.#frame;
  }

  /** Adds a sine by its recurrence: each sample follows from the two before it. */
  #add(frequencyHz: number, peak: number, index: number): void {
    const frame = this.#frame;
    const radians = (2 * Math.PI * frequencyHz) / this.#sampleRateHz;
    const start = ((2 * Math.PI * frequencyHz * FRAME_MS) / 1000) * index;
    const factor = 2 * Math.cos(radians);
    let beforeLast = peak * Math.sin(start - 2 * radians);
    let last = peak * Math.sin(start - radians);
    for (let i = 0; i < frame.length; i++) {
      const sample = factor * last - beforeLast;
      frame[i] = (frame[i] as number) + Math.round(sample);
      beforeLast = last;
      last = sample;
    }
  }
}

/** Returns this thread's tones at a rate. Its legs use them one after another. */
export const dtmfToneAt = onePer((sampleRateHz) => new DtmfTone(sampleRateHz));
