/** Length of the background that is remembered, and of the pieces of it that follow each other at random. */
const BACKGROUND_MS = 40;
const GRAIN_MS = 20;
const HOP_MS = GRAIN_MS / 2;
/** The power of the background is taken from so much of it, at so many samples per millisecond. */
const MEASURED_MS = 20;
const MEASURED_PER_MS = 4;
/** What is louder than −25 dBFS is no background. */
const MAX_POWER = 1843 ** 2;
/** The background may have become louder by 0.5 dB since the last time. */
const POWER_RISE = 1.12;
const MIN_POWER = 1;
/**
 * The background is even: no part of it has more than twice the mean power of edges, which are second differences of
 * samples. What has a transient, such as a plosive, would click each time it is played. Weak edges are inaudible.
 */
const PART_MS = 5;
const PARTS = BACKGROUND_MS / PART_MS;
const MAX_PART_RATIO = 2;
const AUDIBLE_EDGE_POWER = 200 ** 2;
/** Times that the background must have been looked for. Before, a voice would be taken for it. */
const ENOUGH = 4;
/** Multiplier and increment of D. E. Knuth's linear congruential generator of 32 bits. */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/** Noise with the level and the spectrum of the background: pieces of the quietest sound of late, in random order. */
export class ComfortNoise {
  readonly #samplesPerMs: number;
  readonly #background: Int16Array;
  readonly #grainSamples: number;
  readonly #hopSamples: number;
  #power = Number.POSITIVE_INFINITY;
  #looked = 0;
  #random = 1;
  #position = 0;
  /** Where the current pieces begin in the background, and the sign with which they are played. */
  #fading = 0;
  #fadingSign = 1;
  #rising = 0;
  #risingSign = 1;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#background = new Int16Array(BACKGROUND_MS * this.#samplesPerMs);
    this.#grainSamples = GRAIN_MS * this.#samplesPerMs;
    this.#hopSamples = HOP_MS * this.#samplesPerMs;
  }

  /** Whether there is a background to imitate. */
  get isKnown(): boolean {
    return this.#looked >= ENOUGH && this.#power <= MAX_POWER;
  }

  /** Looks for the background in the last 40 ms of sound before `end`. Call it a few times per second. */
  learn(sound: Int16Array, end: number): void {
    const power = this.#measure(sound, end);
    this.#looked++;
    this.#power = Math.max(this.#power * POWER_RISE, MIN_POWER);
    if (power > Math.min(this.#power, MAX_POWER)) return;
    const background = this.#background;
    const from = end - background.length;
    if (!this.#isEven(sound, from)) return;
    this.#power = power;
    for (let i = 0; i < background.length; i++) background[i] = sound[from + i]!;
  }

  next(): number {
    if (this.#position === 0) this.#startPiece();
    const share = this.#position / this.#hopSamples;
    const fading = this.#background[this.#fading + this.#hopSamples + this.#position]! * this.#fadingSign;
    const rising = this.#background[this.#rising + this.#position]! * this.#risingSign;
    this.#position = this.#position + 1 === this.#hopSamples ? 0 : this.#position + 1;
    return fading * Math.sqrt(1 - share) + rising * Math.sqrt(share);
  }

  #startPiece(): void {
    this.#fading = this.#rising;
    this.#fadingSign = this.#risingSign;
    this.#random = (Math.imul(this.#random, MULTIPLIER) + INCREMENT) | 0;
    this.#risingSign = this.#random < 0 ? -1 : 1;
    const places = this.#background.length - this.#grainSamples;
    this.#rising = ((this.#random >>> 8) & 0xffff) % places;
  }

  #isEven(sound: Int16Array, from: number): boolean {
    const partSamples = PART_MS * this.#samplesPerMs;
    let most = 0;
    let sum = 0;
    for (let part = 0; part < PARTS; part++) {
      const power = edgePower(sound, from + part * partSamples, partSamples);
      most = Math.max(most, power);
      sum += power;
    }
    return most <= AUDIBLE_EDGE_POWER || most <= (MAX_PART_RATIO * sum) / PARTS;
  }

  #measure(sound: Int16Array, end: number): number {
    const step = Math.max(Math.floor(this.#samplesPerMs / MEASURED_PER_MS), 1);
    const count = MEASURED_MS * MEASURED_PER_MS;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const sample = sound[end - 1 - i * step]!;
      sum += sample * sample;
    }
    return sum / count;
  }
}

function edgePower(sound: Int16Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) {
    const edge = sound[i]! - 2 * (sound[i - 1] ?? 0) + (sound[i - 2] ?? 0);
    sum += edge * edge;
  }
  return sum / length;
}
