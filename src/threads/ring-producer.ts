import {
  NOTE_CAPACITY,
  NOTE_MARK,
  NOTE_RATE,
  NOTE_WORDS,
  NOTES_READ,
  NOTES_WRITTEN,
  OVERRUN_SAMPLES,
  READ_POSITION,
  type RingViews,
  ringViews,
  WRITE_POSITION,
} from './ring-layout.ts';

/** The writing end of a ring. A fresh producer on used memory goes on where the former one stopped. */
export class RingProducer {
  readonly #ring: RingViews;
  readonly #mask: number;
  #position: number;
  #notesWritten: number;
  /** Rate of the last sample; unknown to a fresh producer, which therefore notes its rate anew. */
  #rateHz = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = ringViews(memory);
    this.#mask = this.#ring.samples.length - 1;
    this.#position = Atomics.load(this.#ring.words, WRITE_POSITION);
    this.#notesWritten = Atomics.load(this.#ring.words, NOTES_WRITTEN);
  }

  /** Position after the last sample written. */
  get position(): number {
    return this.#position;
  }

  /** Notes written so far, modulo 2^32: together with `position` the end of everything sent. */
  get notesWritten(): number {
    return this.#notesWritten;
  }

  get queuedSamples(): number {
    return (this.#position - Atomics.load(this.#ring.words, READ_POSITION)) | 0;
  }

  get freeSamples(): number {
    return this.#ring.samples.length - this.queuedSamples;
  }

  /** Copies as much as fits of `length` samples from `from` on; returns how many. Never allocates. */
  write(source: Int16Array, from: number, length: number, sampleRateHz: number): number {
    const count = Math.min(length, this.freeSamples);
    if (count === 0 || !this.#noteRate(sampleRateHz)) return 0;
    const { samples, words } = this.#ring;
    for (let i = 0; i < count; i++) {
      samples[(this.#position + i) & this.#mask] = source[from + i] as number;
    }
    this.#position = (this.#position + count) | 0;
    Atomics.store(words, WRITE_POSITION, this.#position);
    return count;
  }

  /** Puts a mark after the last sample written; false: no room for a note. */
  writeMark(markId: number): boolean {
    return this.#writeNote(NOTE_MARK, markId);
  }

  /** Counts samples that were lost because the ring was full, for the consumer to tell. */
  countOverrun(lengthSamples: number): void {
    Atomics.add(this.#ring.words, OVERRUN_SAMPLES, lengthSamples);
  }

  #noteRate(sampleRateHz: number): boolean {
    if (sampleRateHz === this.#rateHz) return true;
    if (!this.#writeNote(NOTE_RATE, sampleRateHz)) return false;
    this.#rateHz = sampleRateHz;
    return true;
  }

  #writeNote(kind: number, value: number): boolean {
    const { notes, words } = this.#ring;
    if (((this.#notesWritten - Atomics.load(words, NOTES_READ)) | 0) >= NOTE_CAPACITY) return false;
    const slot = (this.#notesWritten & (NOTE_CAPACITY - 1)) * NOTE_WORDS;
    notes[slot] = this.#position;
    notes[slot + 1] = kind;
    notes[slot + 2] = value;
    this.#notesWritten = (this.#notesWritten + 1) | 0;
    Atomics.store(words, NOTES_WRITTEN, this.#notesWritten);
    return true;
  }
}
