import { blockPowers } from '../audio/frame-power.ts';
import { FRAME_MS } from '../base/frame.ts';
import type { MeasuredTurn } from '../threads/protocol.ts';
import { SoundFloor } from './sound-floor.ts';

/** How finely the end of speech is sought. */
const BLOCKS = 20;
const BLOCK_MS = FRAME_MS / BLOCKS;

/** Nothing weaker is a sound: −50 dBFS. */
const LEAST = 1e-5;
/** Speech is so much louder than the noise behind it: 8 dB. */
const ABOVE_NOISE = 6.3;
/** What is so much weaker than the loudest of what somebody says is its echo in the room: 30 dB. */
const BELOW_PEAK = 1e-3;
/** An echo of what was sent is so much weaker: 25 dB. */
const ECHO = 10 ** -2.5;
/** What was sent comes back within half a second: the peak falls by 30 dB in it. */
const ECHO_DECAY = 10 ** (-3 / (500 / BLOCK_MS));
const FRAME_ECHO_DECAY = ECHO_DECAY ** BLOCKS;
/** A shorter sound is a click. */
const LEAST_SPEECH_BLOCKS = 80 / BLOCK_MS;
/** Longer pauses end what somebody says. */
const PAUSE_MS = 600;
/** Sound after so much silence of ours begins something new. */
const OWN_PAUSE_MS = 200;
/** Who begins sooner speaks over the other, and later is no answer. */
const LEAST_ANSWER_MS = 40;
const MOST_ANSWER_MS = 30_000;

/** Of the frame that leaves. All meters of the thread use it one after another. */
const sentPowers = new Float64Array(BLOCKS);

/**
 * Measures how long the far end of a call waits for an answer, on its side of all buffers: from the last sound that
 * arrived to the first that leaves. Levels decide, above a tracked floor of noise: speech ends in the middle of its last 20 ms that are loud enough. Every frame costs a pass over
 * its samples, and allocates nothing; a turn allocates its report.
 */
export class TurnMeter {
  readonly #report: (turn: MeasuredTurn) => void;
  readonly #floor = new SoundFloor();
  /** Power of the last 20 ms that were heard, of the blocks they consist of, and of those before. */
  #window = 0;
  #powers = new Float64Array(BLOCKS);
  #powersBefore = new Float64Array(BLOCKS);
  /** Of the sounds since the last pause: the loudest, how many, and the end of the last one. */
  #peak = 0;
  #blocks = 0;
  #soundEndMs = Number.NEGATIVE_INFINITY;
  /** The end of the last speech. */
  #endMs = Number.NEGATIVE_INFINITY;
  #awaitsAnswer = false;
  #sentPeak = 0;
  /** The end of the last sound that was sent. */
  #sentEndMs = Number.NEGATIVE_INFINITY;

  constructor(report: (turn: MeasuredTurn) => void) {
    this.#report = report;
  }

  /** Takes 20 ms of the far end, which had arrived at `arrivedAtMs`. */
  heard(frame: Int16Array, arrivedAtMs: number): void {
    const power = this.#measure(frame);
    const sentPeak = this.#sentPeak * FRAME_ECHO_DECAY;
    if (this.#isSpeech(power, sentPeak) && this.#speaksOn(arrivedAtMs))
      this.#speaks(power, arrivedAtMs + FRAME_MS);
    // No 20 ms in between have more power than both.
    else if (this.#isSpeech(power + this.#window, sentPeak)) this.#search(arrivedAtMs);
    this.#sentPeak = sentPeak;
    this.#window = power;
    this.#floor.take(power);
  }

  /** Measures the blocks of a frame. Returns the power of all. */
  #measure(frame: Int16Array): number {
    const powers = this.#powersBefore;
    this.#powersBefore = this.#powers;
    this.#powers = powers;
    blockPowers(frame, powers);
    let sum = 0;
    for (let block = 0; block < BLOCKS; block++) sum += powers[block] as number;
    return sum / BLOCKS;
  }

  /** Whether the last 20 ms ended in speech that has lasted. Where it then began or ended within them says nothing new. */
  #speaksOn(arrivedAtMs: number): boolean {
    return this.#blocks >= LEAST_SPEECH_BLOCKS && arrivedAtMs - this.#soundEndMs < 2 * FRAME_MS;
  }

  /** Looks at the last 20 ms at the end of each block. */
  #search(arrivedAtMs: number): void {
    let window = this.#window;
    let sentPeak = this.#sentPeak;
    for (let block = 0; block < BLOCKS; block++) {
      window += ((this.#powers[block] as number) - (this.#powersBefore[block] as number)) / BLOCKS;
      sentPeak *= ECHO_DECAY;
      if (this.#isSpeech(window, sentPeak)) this.#speaks(window, arrivedAtMs + (block + 1) * BLOCK_MS);
    }
  }

  /** Takes 20 ms that leave at `nowMs`. */
  sent(frame: Int16Array, nowMs: number): void {
    blockPowers(frame, sentPowers);
    for (let block = 0; block < BLOCKS; block++) {
      const power = sentPowers[block] as number;
      if (power < LEAST) continue;
      if (power > this.#sentPeak) this.#sentPeak = power;
      this.#sounds(nowMs + block * BLOCK_MS);
    }
  }

  /** What is sent from `nowMs` on goes on with what was sent before, and answers nobody. */
  goOn(nowMs: number): void {
    this.#sentEndMs = nowMs;
    this.#awaitsAnswer = false;
  }

  #isSpeech(power: number, sentPeak: number): boolean {
    if (power < LEAST || power < ABOVE_NOISE * this.#floor.power) return false;
    return power > ECHO * sentPeak;
  }

  /** The last 20 ms, up to `atMs`, are speech. */
  #speaks(power: number, atMs: number): void {
    if (atMs - this.#soundEndMs > PAUSE_MS) {
      this.#peak = 0;
      this.#blocks = 0;
    }
    if (power < BELOW_PEAK * this.#peak) return;
    if (power > this.#peak) this.#peak = power;
    this.#blocks++;
    this.#soundEndMs = atMs - FRAME_MS / 2;
    if (this.#blocks < LEAST_SPEECH_BLOCKS) return;
    this.#endMs = this.#soundEndMs;
    this.#awaitsAnswer = true;
  }

  #sounds(atMs: number): void {
    const isNew = atMs - this.#sentEndMs >= OWN_PAUSE_MS;
    this.#sentEndMs = atMs + BLOCK_MS;
    const waitMs = atMs - this.#endMs;
    if (!this.#awaitsAnswer || waitMs < LEAST_ANSWER_MS) return;
    // Who is spoken to all the while waits for nothing.
    this.#awaitsAnswer = false;
    if (isNew && waitMs <= MOST_ANSWER_MS) this.#report({ endMs: this.#endMs, soundMs: atMs });
  }
}
