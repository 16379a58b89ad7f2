const FULL_SCALE = 32_767;

/** A sine wave with continuous phase across calls. */
export class Tone {
  readonly #radiansPerSample: number;
  readonly #peak: number;
  #phase = 0;

  /** Creates a tone. `amplitude` is a fraction of full scale, 0 to 1. */
  constructor(frequencyHz: number, sampleRateHz: number, amplitude: number) {
    this.#radiansPerSample = (2 * Math.PI * frequencyHz) / sampleRateHz;
    this.#peak = amplitude * FULL_SCALE;
  }

  /** Fills `frame` with the next samples. */
  fill(frame: Int16Array): void {
    for (let i = 0; i < frame.length; i++) {
      frame[i] = Math.round(this.#peak * Math.sin(this.#phase));
      this.#phase += this.#radiansPerSample;
    }
    this.#phase %= 2 * Math.PI;
  }
}

/** A sine of `amplitude` (full scale: 32767), from sample `fromSample` of one that starts at phase zero. */
export function tone(
  toneHz: number,
  sampleRateHz: number,
  lengthSamples: number,
  { amplitude = 10_000, fromSample = 0 } = {},
): Int16Array {
  const samples = new Int16Array(lengthSamples);
  const step = (2 * Math.PI * toneHz) / sampleRateHz;
  for (let i = 0; i < lengthSamples; i++)
    samples[i] = Math.round(amplitude * Math.sin(step * (fromSample + i)));
  return samples;
}
