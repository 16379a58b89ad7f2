import { BIN_HZ } from './spectrum.ts';

/** Narrow where vowels are told apart, wider above, as hearing is. What a phone line lets through. */
const EDGES_HZ = [
  100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_150, 1_300, 1_500, 1_700, 1_900, 2_150, 2_400, 2_700,
  3_000, 3_400, 3_800,
];
const EDGES = Uint16Array.from(EDGES_HZ, (hz) => Math.round(hz / BIN_HZ));

export const BANDS = EDGES.length - 1;

/** Writes the mean power of the bins of each band. */
export function bandPowers(spectrum: Float64Array, powers: Float64Array): void {
  for (let band = 0; band < BANDS; band++) {
    const from = EDGES[band] as number;
    const to = EDGES[band + 1] as number;
    let sum = 0;
    for (let bin = from; bin < to; bin++) sum += spectrum[bin] as number;
    powers[band] = sum / (to - from);
  }
}
