import {
  BEHIND_MS,
  NOTE_CAPACITY,
  NOTE_MARK,
  NOTE_RATE,
  NOTE_WORDS,
  NOTES_READ,
  NOTES_WRITTEN,
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
  /** The consumer's position as last looked at. */
  #readPosition: number;
  /** Rate of the last sample; unknown to a fresh producer, which therefore notes its rate anew. */
  #rateHz = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = ringViews(memory);
    this.#mask = this.#ring.samples.length - 1;
    this.#position = Atomics.load(this.#ring.words, WRITE_POSITION);
    this.#notesWritten = Atomics.load(this.#ring.words, NOTES_WRITTEN);
    this.#readPosition = Atomics.load(this.#ring.words, READ_POSITION);
  }

  /** Tells the consumer how much waits behind the ring. */
  noteBehind(milliseconds: number): void {
    Atomics.store(this.#ring.words, BEHIND_MS, milliseconds);
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

  /** Copies as much as fits of `length` samples from `from` on; returns how many. Never allocates. */
  write(source: Int16Array, from: number, length: number, sampleRateHz: number): number {
    const count = Math.min(length, this.#freeSamples(length));
    if (count === 0 || !this.#noteRate(sampleRateHz)) return 0;
    this.#copy(source, from, count);
    this.#position = (this.#position + count) | 0;
    Atomics.store(this.#ring.words, WRITE_POSITION, this.#position);
    return count;
  }

  /** Puts a mark after the last sample written; false: no room for a note. */
  writeMark(markId: number): boolean {
    return this.#writeNote(NOTE_MARK, markId);
  }

  /** Free cells; looks at how far the consumer has got only when `wanted` do not fit by what is known of it. */
  #freeSamples(wanted: number): number {
    const { samples, words } = this.#ring;
    const knownFree = samples.length - ((this.#position - this.#readPosition) | 0);
    if (knownFree >= wanted) return knownFree;
    this.#readPosition = Atomics.load(words, READ_POSITION);
    return samples.length - ((this.#position - this.#readPosition) | 0);
  }

  #copy(source: Int16Array, from: number, count: number): void {
    const { samples } = this.#ring;
    const cell = this.#position & this.#mask;
    // One block move in nearly every case: a part of `source` would need a view of its own.
    if (count === source.length && cell + count <= samples.length) samples.set(source, cell);
    else for (let i = 0; i < count; i++) samples[(cell + i) & this.#mask] = source[from + i] as number;
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
