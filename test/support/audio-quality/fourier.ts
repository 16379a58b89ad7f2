/** Fast Fourier transform of one length, a power of two: in place, complex, without scaling. */
export class Fourier {
  readonly length: number;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #reversed: Uint32Array;

  constructor(length: number) {
    this.length = length;
    const turn = (2 * Math.PI) / length;
    this.#cosines = Float64Array.from({ length: length / 2 }, (_, i) => Math.cos(turn * i));
    this.#sines = Float64Array.from({ length: length / 2 }, (_, i) => -Math.sin(turn * i));
    this.#reversed = new Uint32Array(length);
    for (let i = 1; i < length; i++)
      this.#reversed[i] = (this.#reversed[i >> 1]! >> 1) | ((i & 1) * (length >> 1));
  }

  transform(real: Float64Array, imaginary: Float64Array): void {
    this.#reorder(real);
    this.#reorder(imaginary);
    for (let half = 1; half < this.length; half *= 2)
      for (let from = 0; from < this.length; from += 2 * half) this.#combine(real, imaginary, from, half);
  }

  #reorder(values: Float64Array): void {
    for (let i = 0; i < this.length; i++) {
      const other = this.#reversed[i]!;
      if (other <= i) continue;
      const value = values[i]!;
      values[i] = values[other]!;
      values[other] = value;
    }
  }

  #combine(real: Float64Array, imaginary: Float64Array, from: number, half: number): void {
    const stride = this.length / (2 * half);
    for (let k = 0, at = from; k < half; k++, at++) {
      const cosine = this.#cosines[k * stride]!;
      const sine = this.#sines[k * stride]!;
      const other = at + half;
      const oddReal = real[other]! * cosine - imaginary[other]! * sine;
      const oddImaginary = real[other]! * sine + imaginary[other]! * cosine;
      real[other] = real[at]! - oddReal;
      imaginary[other] = imaginary[at]! - oddImaginary;
      real[at] = real[at]! + oddReal;
      imaginary[at] = imaginary[at]! + oddImaginary;
    }
  }
}
