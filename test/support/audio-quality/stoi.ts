import { Fourier } from './fourier.ts';

/** The constants of the paper: 25.6 ms windows with half overlap at 10 kHz, 15 third-octave bands from 150 Hz. */
export const STOI_RATE_HZ = 10_000;
export const STOI_FRAME = 256;
export const STOI_HOP = STOI_FRAME / 2;
const SPECTRUM = 512;
const BANDS = 15;
const LOWEST_CENTRE_HZ = 150;
/** 30 windows are a segment of 384 ms. */
const SEGMENT = 30;
/** A window quieter than the loudest one by more than this is a pause, and left out. */
const PAUSE_DB = 40;
/** Lower bound of the signal-to-distortion ratio of a unit, which limits what a single one can spoil. */
const LEAST_SDR_DB = -15;

const CLIP = 1 + 10 ** (-LEAST_SDR_DB / 20);
const TINY = Number.EPSILON;

const fourier = new Fourier(SPECTRUM);
/** Hann, without its zeros at both ends. */
const hann = Float64Array.from(
  { length: STOI_FRAME },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 1)) / (STOI_FRAME + 1)),
);
const bandEdges = thirdOctaves();

/** Where windows of the two signals belong together: start of each one, in samples. */
export interface WindowPairs {
  readonly clean: readonly number[];
  readonly heard: readonly number[];
}

/**
 * Short-time objective intelligibility of `heard`, from about 0 to 1, by C. H. Taal, R. C. Hendriks, R. Heusdens and
 * J. Jensen, "An Algorithm for Intelligibility Prediction of Time-Frequency Weighted Noisy Speech", IEEE Transactions on
 * Audio, Speech, and Language Processing 19 (7), 2011. Both signals are at 10 kHz. Without `pairs`, they are aligned.
 * NaN when there is less than 384 ms of speech.
 */
export function stoi(clean: Float64Array, heard: Float64Array, pairs = alignedPairs(clean, heard)): number {
  const speech = withoutPauses(clean, heard, pairs);
  const count = Math.max(Math.floor((speech.clean.length - STOI_FRAME) / STOI_HOP) + 1, 0);
  const cleanUnits = new Float64Array(count * BANDS);
  const heardUnits = new Float64Array(count * BANDS);
  for (let i = 0; i < count; i++) measureUnits(speech, i, cleanUnits, heardUnits);
  return meanCorrelation(cleanUnits, heardUnits, count);
}

function alignedPairs(clean: Float64Array, heard: Float64Array): WindowPairs {
  const length = Math.max(Math.floor((Math.min(clean.length, heard.length) - STOI_FRAME) / STOI_HOP) + 1, 0);
  const starts = Array.from({ length }, (_, i) => i * STOI_HOP);
  return { clean: starts, heard: starts };
}

/** Joins the windows of speech, cross-faded as they overlap, so that pauses are gone from both signals. */
function withoutPauses(clean: Float64Array, heard: Float64Array, pairs: WindowPairs) {
  const levels = pairs.clean.map((at) => windowDb(clean, at));
  const loudest = levels.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  const spoken = levels.flatMap((level, i) => (level > loudest - PAUSE_DB ? [i] : []));
  const length = spoken.length === 0 ? 0 : (spoken.length - 1) * STOI_HOP + STOI_FRAME;
  const joined = { clean: new Float64Array(length), heard: new Float64Array(length) };
  for (const [place, i] of spoken.entries()) {
    addWindow(clean, pairs.clean[i]!, joined.clean, place * STOI_HOP);
    addWindow(heard, pairs.heard[i]!, joined.heard, place * STOI_HOP);
  }
  return joined;
}

function windowDb(signal: Float64Array, at: number): number {
  let energy = 0;
  for (let i = 0; i < STOI_FRAME; i++) energy += (hann[i]! * (signal[at + i] ?? 0)) ** 2;
  return 10 * Math.log10(energy + TINY);
}

/** Beyond its ends a signal is silent. */
function addWindow(signal: Float64Array, from: number, joined: Float64Array, to: number): void {
  for (let i = 0; i < STOI_FRAME; i++) joined[to + i]! += hann[i]! * (signal[from + i] ?? 0);
}

const real = new Float64Array(SPECTRUM);
const imaginary = new Float64Array(SPECTRUM);

/** Writes the amplitude in each band of window `i`. Both signals share one transform, as its real and imaginary part. */
function measureUnits(
  { clean, heard }: { readonly clean: Float64Array; readonly heard: Float64Array },
  i: number,
  cleanUnits: Float64Array,
  heardUnits: Float64Array,
): void {
  real.fill(0);
  imaginary.fill(0);
  for (let n = 0; n < STOI_FRAME; n++) {
    real[n] = hann[n]! * clean[i * STOI_HOP + n]!;
    imaginary[n] = hann[n]! * heard[i * STOI_HOP + n]!;
  }
  fourier.transform(real, imaginary);
  for (let band = 0; band < BANDS; band++) {
    const { cleanPower, heardPower } = bandPower(bandEdges[band]!, bandEdges[band + BANDS]!);
    cleanUnits[i * BANDS + band] = Math.sqrt(cleanPower);
    heardUnits[i * BANDS + band] = Math.sqrt(heardPower);
  }
}

function bandPower(from: number, to: number) {
  let cleanPower = 0;
  let heardPower = 0;
  for (let bin = from; bin < to; bin++) {
    const a = real[bin]!;
    const b = imaginary[bin]!;
    const c = real[SPECTRUM - bin]!;
    const d = imaginary[SPECTRUM - bin]!;
    cleanPower += ((a + c) ** 2 + (b - d) ** 2) / 4;
    heardPower += ((b + d) ** 2 + (a - c) ** 2) / 4;
  }
  return { cleanPower, heardPower };
}

/** First bin of each band, then the first bin after each band. */
function thirdOctaves(): number[] {
  const bin = (hz: number) => Math.round((hz * SPECTRUM) / STOI_RATE_HZ);
  const centres = Array.from({ length: BANDS }, (_, band) => LOWEST_CENTRE_HZ * 2 ** (band / 3));
  return [...centres.map((hz) => bin(hz / 2 ** (1 / 6))), ...centres.map((hz) => bin(hz * 2 ** (1 / 6)))];
}

/** Mean over all segments and bands of the correlation between the clean and the scaled, clipped amplitudes. */
function meanCorrelation(clean: Float64Array, heard: Float64Array, count: number): number {
  let sum = 0;
  const segments = count - SEGMENT + 1;
  for (let from = 0; from < segments; from++)
    for (let band = 0; band < BANDS; band++) sum += correlation(clean, heard, from * BANDS + band);
  return segments > 0 ? sum / (segments * BANDS) : Number.NaN;
}

const cleanRow = new Float64Array(SEGMENT);
const heardRow = new Float64Array(SEGMENT);

function correlation(clean: Float64Array, heard: Float64Array, at: number): number {
  for (let m = 0; m < SEGMENT; m++) {
    cleanRow[m] = clean[at + m * BANDS]!;
    heardRow[m] = heard[at + m * BANDS]!;
  }
  const scale = norm(cleanRow) / (norm(heardRow) + TINY);
  for (let m = 0; m < SEGMENT; m++) heardRow[m] = Math.min(heardRow[m]! * scale, cleanRow[m]! * CLIP);
  subtractMean(cleanRow);
  subtractMean(heardRow);
  let product = 0;
  for (let m = 0; m < SEGMENT; m++) product += cleanRow[m]! * heardRow[m]!;
  return product / ((norm(cleanRow) + TINY) * (norm(heardRow) + TINY));
}

function norm(row: Float64Array): number {
  let sum = 0;
  for (let m = 0; m < row.length; m++) sum += row[m]! ** 2;
  return Math.sqrt(sum);
}

function subtractMean(row: Float64Array): void {
  let sum = 0;
  for (let m = 0; m < row.length; m++) sum += row[m]!;
  for (let m = 0; m < row.length; m++) row[m]! -= sum / row.length;
}
