const WINDOW = 2_048;
const HOP = 960;
/** Upper edges in Hz of the critical bands (Zwicker), and one above them. */
const BAND_EDGES_HZ = [
  100, 200, 300, 400, 510, 630, 770, 920, 1_080, 1_270, 1_480, 1_720, 2_000, 2_320, 2_700, 3_150, 3_700,
  4_400, 5_300, 6_400, 7_700, 9_500, 12_000, 15_500, 20_000,
];
const QUIET_DB = -40;
/** What lies so far below the loudest band of its moment is not heard beside it. */
const MASKED_DB = -50;
const MOST_DELAY_SAMPLES = 480;

/** How many samples later `output` has what `input` has. */
export function delayOf(input: Int16Array, output: Int16Array): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let delay = 0; delay < MOST_DELAY_SAMPLES; delay++) {
    let sum = 0;
    for (let i = 0; i + delay < output.length; i += 7) sum += input[i]! * output[i + delay]!;
    if (sum > most) [best, most] = [delay, sum];
  }
  return best;
}

/** Difference in dB of the levels in critical bands (root of the mean square over bands, mean over time); pauses left out. */
export function spectralDistanceDb(input: Int16Array, output: Int16Array, sampleRateHz: number): number {
  const delay = delayOf(input, output);
  const inputs = levels(input, 0, sampleRateHz);
  const outputs = levels(output, delay, sampleRateHz);
  const loudest = Math.max(...inputs.map(({ total }) => total));
  const distances: number[] = [];
  for (const [i, { total, bands }] of inputs.entries()) {
    const beside = outputs[i];
    if (!beside || total < loudest + QUIET_DB) continue;
    const floor = Math.max(...bands) + MASKED_DB;
    const squares = bands.map((band, n) => (Math.max(band, floor) - Math.max(beside.bands[n]!, floor)) ** 2);
    distances.push(Math.sqrt(mean(squares)));
  }
  return mean(distances);
}

/** Signal to noise of one frame of `heard` against what should have been heard. */
export function signalToNoiseDb(meant: Int16Array, heard: Int16Array): number {
  let [signal, error] = [0, 1e-9];
  for (const [i, sample] of meant.entries()) {
    signal += sample ** 2;
    error += (sample - heard[i]!) ** 2;
  }
  return 10 * Math.log10(signal / error);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function levels(samples: Int16Array, from: number, sampleRateHz: number) {
  const moments: { total: number; bands: number[] }[] = [];
  for (let at = from; at + WINDOW <= samples.length; at += HOP) {
    const power = powerSpectrum(samples.subarray(at, at + WINDOW));
    let bin = 1;
    const bands = BAND_EDGES_HZ.map((edgeHz) => {
      let sum = 1;
      for (; (bin * sampleRateHz) / WINDOW < edgeHz; bin++) sum += power[bin]!;
      return 10 * Math.log10(sum);
    });
    moments.push({ total: 10 * Math.log10(mean([...power])), bands });
  }
  return moments;
}

/** Of a Hann window (radix 2, in place). */
function powerSpectrum(samples: Int16Array): Float64Array {
  const real = Float64Array.from(
    samples,
    (sample, i) => sample * Math.sin((Math.PI * i) / samples.length) ** 2,
  );
  const imaginary = new Float64Array(real.length);
  reorder(real);
  for (let size = 2; size <= real.length; size *= 2) butterflies(real, imaginary, size);
  return real.map((value, i) => value ** 2 + imaginary[i]! ** 2).subarray(0, real.length / 2);
}

function reorder(values: Float64Array): void {
  for (let i = 1, j = 0; i < values.length; i++) {
    let bit = values.length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [values[i], values[j]] = [values[j]!, values[i]!];
  }
}

function butterflies(real: Float64Array, imaginary: Float64Array, size: number): void {
  const half = size / 2;
  for (let k = 0; k < half; k++) {
    const [c, s] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
    for (let i = k; i < real.length; i += size) {
      const j = i + half;
      const [x, y] = [real[j]! * c - imaginary[j]! * s, real[j]! * s + imaginary[j]! * c];
      real[j] = real[i]! - x;
      imaginary[j] = imaginary[i]! - y;
      real[i]! += x;
      imaginary[i]! += y;
    }
  }
}
