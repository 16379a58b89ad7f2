/** Numbers that are transformed at once. */
export const TRANSFORM_SIZE = 512;
const HALF = TRANSFORM_SIZE / 2;

const COSINES = Float64Array.from({ length: HALF }, (_, i) => Math.cos((2 * Math.PI * i) / TRANSFORM_SIZE));
const SINES = Float64Array.from({ length: HALF }, (_, i) => Math.sin((2 * Math.PI * i) / TRANSFORM_SIZE));
/** Where the numbers of the input go first: their index with its bits in reverse. */
const ORDER = Uint16Array.from({ length: HALF }, (_, i) => reversed(i));

/** Complex numbers, used by all voices of a thread in turn. */
const packed = { real: new Float64Array(HALF), imaginary: new Float64Array(HALF) };
const result = { real: new Float64Array(HALF), imaginary: new Float64Array(HALF) };

/**
 * The discrete Fourier transform of 512 real numbers: its first 256 terms, the one at 0 among them. Valid until the next
 * call. It transforms the even and odd numbers at once, as the real and imaginary parts of half as many.
 */
export function transformed(input: Float64Array): {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
} {
  const { real, imaginary } = packed;
  for (let i = 0; i < HALF; i++) {
    const from = 2 * (ORDER[i] as number);
    real[i] = input[from] as number;
    imaginary[i] = input[from + 1] as number;
  }
  for (let length = 2; length <= HALF; length *= 2) combine(length);
  untangle();
  return result;
}

/** Makes transforms of `length` numbers out of those of half as many. */
function combine(length: number): void {
  const { real, imaginary } = packed;
  const half = length / 2;
  const step = TRANSFORM_SIZE / length;
  for (let k = 0; k < half; k++) {
    const cosine = COSINES[k * step] as number;
    const sine = SINES[k * step] as number;
    for (let low = k; low < HALF; low += length) {
      const high = low + half;
      const re = (real[high] as number) * cosine + (imaginary[high] as number) * sine;
      const im = (imaginary[high] as number) * cosine - (real[high] as number) * sine;
      real[high] = (real[low] as number) - re;
      imaginary[high] = (imaginary[low] as number) - im;
      real[low] = (real[low] as number) + re;
      imaginary[low] = (imaginary[low] as number) + im;
    }
  }
}

/** Takes apart the transforms of the even and odd numbers, and combines them. */
function untangle(): void {
  const { real, imaginary } = packed;
  for (let k = 0; k < HALF; k++) {
    const mirror = (HALF - k) % HALF;
    const evenRe = ((real[k] as number) + (real[mirror] as number)) / 2;
    const evenIm = ((imaginary[k] as number) - (imaginary[mirror] as number)) / 2;
    const oddRe = ((imaginary[k] as number) + (imaginary[mirror] as number)) / 2;
    const oddIm = ((real[mirror] as number) - (real[k] as number)) / 2;
    const cosine = COSINES[k] as number;
    const sine = SINES[k] as number;
    result.real[k] = evenRe + oddRe * cosine + oddIm * sine;
    result.imaginary[k] = evenIm + oddIm * cosine - oddRe * sine;
  }
}

function reversed(index: number): number {
  let mirrored = 0;
  for (let bit = 1; bit < HALF; bit *= 2) mirrored = 2 * mirrored + (index & bit ? 1 : 0);
  return mirrored;
}
