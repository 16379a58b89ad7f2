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

/** The writing end of a ring. A new producer on used memory continues where the previous one stopped. */
export class RingProducer {
  /** Position after the last sample written. */
  position: number;
  /** Notes written so far, modulo 2^32. Together with `position` it marks the end of everything sent. */
  notesWritten: number;
  readonly #ring: RingViews;
  readonly #mask: number;
  /** The consumer's position when last read. */
  #readPosition: number;
  /** Rate of the last sample; 0 in a new producer, which therefore writes a rate note first. */
  #rateHz = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = ringViews(memory);
    this.#mask = this.#ring.samples.length - 1;
    this.position = Atomics.load(this.#ring.words, WRITE_POSITION);
    this.notesWritten = Atomics.load(this.#ring.words, NOTES_WRITTEN);
    this.#readPosition = Atomics.load(this.#ring.words, READ_POSITION);
  }

  /** Publishes how much audio is queued outside the ring. */
  noteBehind(milliseconds: number): void {
    Atomics.store(this.#ring.words, BEHIND_MS, milliseconds);
  }

  get queuedSamples(): number {
    return (this.position - Atomics.load(this.#ring.words, READ_POSITION)) | 0;
  }

  /** Copies up to `length` samples of `source`, starting at `from`. Returns the number that fitted. Never allocates. */
  write(source: Int16Array, from: number, length: number, sampleRateHz: number): number {
    const count = Math.min(length, this.#freeSamples(length));
    if (count === 0 || !this.#noteRate(sampleRateHz)) return 0;
    this.#copy(source, from, count);
    this.position = (this.position + count) | 0;
    Atomics.store(this.#ring.words, WRITE_POSITION, this.position);
    return count;
  }

  /** Writes a mark after the last sample. Returns false when there is no room for a note. */
  writeMark(markId: number): boolean {
    return this.#writeNote(NOTE_MARK, markId);
  }

  /**
   * Number of free cells. Reloads the consumer's position only when `wanted` samples do not fit by the last known one.
   */
  #freeSamples(wanted: number): number {
    const { samples, words } = this.#ring;
    const knownFree = samples.length - ((this.position - this.#readPosition) | 0);
    if (knownFree >= wanted) return knownFree;
    this.#readPosition = Atomics.load(words, READ_POSITION);
    return samples.length - ((this.position - this.#readPosition) | 0);
  }

  #copy(source: Int16Array, from: number, count: number): void {
    const { samples } = this.#ring;
    const cell = this.position & this.#mask;
    // One block move in nearly every case. Copying a part of `source` this way would need a new view.
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
    if (((this.notesWritten - Atomics.load(words, NOTES_READ)) | 0) >= NOTE_CAPACITY) return false;
    const slot = (this.notesWritten & (NOTE_CAPACITY - 1)) * NOTE_WORDS;
    notes[slot] = this.position;
    notes[slot + 1] = kind;
    notes[slot + 2] = value;
    this.notesWritten = (this.notesWritten + 1) | 0;
    Atomics.store(words, NOTES_WRITTEN, this.notesWritten);
    return true;
  }
}
