import {
  BEHIND_MS,
  DROPPED_MS,
  NOTE_CAPACITY,
  NOTE_MARK,
  NOTE_RATE,
  NOTE_WORDS,
  NOTES_READ,
  NOTES_WRITTEN,
  PLAYED_MS,
  READ_POSITION,
  READ_RATE_HZ,
  type RingViews,
  ringViews,
  WRITE_POSITION,
} from './ring-layout.ts';

/** Returned by `takeMark` when there is no mark at the reading position. */
export const NO_MARK = -1;

let foursTarget: Int16Array = new Int16Array(0);
let targetFours: BigInt64Array = new BigInt64Array(0);

/** Returns a view of `target` with four samples per element. The view is cached because `target` rarely changes. */
function foursOf(target: Int16Array): BigInt64Array {
  if (target !== foursTarget) {
    targetFours = new BigInt64Array(target.buffer, target.byteOffset, target.length >> 2);
    foursTarget = target;
  }
  return targetFours;
}

/** The reading end of a ring. A new consumer on used memory continues where the previous one stopped. */
export class RingConsumer {
  readonly #ring: RingViews;
  readonly #mask: number;
  #position: number;
  #notesRead: number;
  #rateHz: number;
  #holdsMarks = false;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = ringViews(memory);
    this.#mask = this.#ring.samples.length - 1;
    this.#position = Atomics.load(this.#ring.words, READ_POSITION);
    this.#notesRead = Atomics.load(this.#ring.words, NOTES_READ);
    this.#rateHz = Atomics.load(this.#ring.words, READ_RATE_HZ);
  }

  /** Rate of the next sample, in Hz; 0 before any audio. Valid after `readableSamples`. */
  get sampleRateHz(): number {
    return this.#rateHz;
  }

  /** Samples queued, at any rate. */
  get queuedSamples(): number {
    return (Atomics.load(this.#ring.words, WRITE_POSITION) - this.#position) | 0;
  }

  /** Position after the last sample written. */
  get writtenPosition(): number {
    return Atomics.load(this.#ring.words, WRITE_POSITION);
  }

  /** Notes written so far, modulo 2^32. Read after `writtenPosition`, it includes all notes before that position. */
  get notesWritten(): number {
    return Atomics.load(this.#ring.words, NOTES_WRITTEN);
  }

  /**
   * Milliseconds of audio queued outside the ring until there is room, as of the last `queuedSamples`; at least 1 while
   * anything is.
   */
  get behindMs(): number {
    return this.#ring.words[BEHIND_MS] as number;
  }

  /** Samples from the reading position to `position`; negative when it has been passed. */
  distanceTo(position: number): number {
    return (position - this.#position) | 0;
  }

  /** Milliseconds of audio counted as played since the ring was created, by this and previous consumers. */
  get playedMs(): number {
    return this.#ring.sums[PLAYED_MS] as number;
  }

  get droppedMs(): number {
    return this.#ring.sums[DROPPED_MS] as number;
  }

  countPlayed(milliseconds: number): void {
    this.#ring.sums[PLAYED_MS] = this.playedMs + milliseconds;
  }

  countDropped(milliseconds: number): void {
    this.#ring.sums[DROPPED_MS] = this.droppedMs + milliseconds;
  }

  /**
   * Number of samples readable now at one rate, up to the next mark or rate change. Applies a rate change at the
   * reading position.
   */
  readableSamples(): number {
    const written = Atomics.load(this.#ring.words, WRITE_POSITION);
    while (this.#noteKind() === NOTE_RATE && this.#noteDistance() <= 0) this.#takeRate();
    const queued = (written - this.#position) | 0;
    return this.#noteKind() === 0 ? queued : Math.min(queued, Math.max(0, this.#noteDistance()));
  }

  /**
   * Copies `length` samples, at most `readableSamples`, and advances. Aligned samples are copied four at a time, which
   * takes a quarter of the time. `target` must start at a multiple of 8 bytes in its buffer.
   */
  read(target: Int16Array, from: number, length: number): void {
    const isInFours = ((from | this.#position | length) & 3) === 0;
    if (isInFours) this.#readFours(foursOf(target), from >> 2, length >> 2);
    else this.#readEach(target, from, length);
    this.#advance(length);
  }

  #readFours(target: BigInt64Array, from: number, count: number): void {
    const { fours } = this.#ring;
    const at = this.#position >> 2;
    const mask = this.#mask >> 2;
    for (let i = 0; i < count; i++) target[from + i] = fours[(at + i) & mask] as bigint;
  }

  #readEach(target: Int16Array, from: number, length: number): void {
    const { samples } = this.#ring;
    for (let i = 0; i < length; i++) target[from + i] = samples[(this.#position + i) & this.#mask] as number;
  }

  /**
   * Takes the mark at the reading position and returns its id, or NO_MARK when there is none. The note stays in the
   * ring until `releaseMarks`, so a consumer that takes over finds marks that have not been reported yet.
   */
  takeMark(): number {
    while (this.#noteKind() === NOTE_RATE && this.#noteDistance() <= 0) this.#takeRate();
    if (this.#noteKind() !== NOTE_MARK || this.#noteDistance() > 0) return NO_MARK;
    this.#holdsMarks = true;
    const markId = this.#noteValue();
    this.#takeNote();
    return markId;
  }

  /** Frees the notes of all marks taken so far. Call it once they have been reported. */
  releaseMarks(): void {
    if (!this.#holdsMarks) return;
    this.#holdsMarks = false;
    Atomics.store(this.#ring.words, NOTES_READ, this.#notesRead);
  }

  /**
   * Advances to `position`, dropping audio and all notes before note number `noteCount`. Returns the milliseconds of
   * audio skipped. Skips no audio when `position` has already been passed.
   */
  discardTo(position: number, noteCount: number): number {
    let skippedMs = 0;
    while (((noteCount - this.#notesRead) | 0) > 0) {
      skippedMs += this.#skipTo(this.#notePosition());
      if (this.#noteKind() === NOTE_RATE) this.#takeRate();
      else this.#takeNote();
    }
    return skippedMs + this.#skipTo(position);
  }

  #skipTo(position: number): number {
    const length = (position - this.#position) | 0;
    if (length <= 0) return 0;
    this.#advance(length);
    return (length * 1000) / this.#rateHz;
  }

  #advance(length: number): void {
    this.#position = (this.#position + length) | 0;
    Atomics.store(this.#ring.words, READ_POSITION, this.#position);
  }

  #takeRate(): void {
    this.#rateHz = this.#noteValue();
    Atomics.store(this.#ring.words, READ_RATE_HZ, this.#rateHz);
    this.#takeNote();
  }

  #takeNote(): void {
    this.#notesRead = (this.#notesRead + 1) | 0;
    if (!this.#holdsMarks) Atomics.store(this.#ring.words, NOTES_READ, this.#notesRead);
  }

  /**
   * Kind of the next note; 0 when there is none. A plain load, ten times faster, is enough to detect that there is
   * none: notes are stored before the position of the samples behind them, and that position has already been loaded
   * atomically.
   */
  #noteKind(): number {
    if (this.#ring.words[NOTES_WRITTEN] === this.#notesRead) return 0;
    Atomics.load(this.#ring.words, NOTES_WRITTEN);
    return this.#ring.notes[this.#slot() + 1] as number;
  }

  #notePosition(): number {
    return this.#ring.notes[this.#slot()] as number;
  }

  #noteDistance(): number {
    return (this.#notePosition() - this.#position) | 0;
  }

  #noteValue(): number {
    return this.#ring.notes[this.#slot() + 2] as number;
  }

  #slot(): number {
    return (this.#notesRead & (NOTE_CAPACITY - 1)) * NOTE_WORDS;
  }
}
