import { Resampler } from '../audio/resampler.ts';
import { frameSamples, MAX_SAMPLE_RATE_HZ } from '../base/frame.ts';
import { NO_MARK, RingConsumer } from '../rings/ring-consumer.ts';
import { NOTE_CAPACITY } from '../rings/ring-layout.ts';
import { SampleFifo } from './sample-fifo.ts';

const PIECE_CAPACITY = frameSamples(MAX_SAMPLE_RATE_HZ) + 1;
/** Scratch memory between a ring and a resampler, used by all queues in turn so that it stays in the CPU cache. */
const piece = new Int16Array(PIECE_CAPACITY);
/** View of the start of `piece`, as long as the last read. The length rarely changes. */
let pieceFront = piece;

/** Returns a view of the first `length` samples of `piece`. Copying a whole array is faster than a part. */
function frontOf(length: number): Int16Array {
  if (length !== pieceFront.length) pieceFront = piece.subarray(0, length);
  return pieceFront;
}

/** What waits to be played: a ring at the agent's rate, and the next samples of it at the room's rate. */
export class PlayoutQueue {
  readonly #ring: RingConsumer;
  readonly #rateHz: number;
  readonly #fifo: SampleFifo;
  /** Samples at the front of the fifo that came from the agent. The rest is padding after an utterance. */
  #agentSamples = 0;
  /** Null while the agent's rate equals the room's. */
  #resampler: Resampler | null = null;
  #agentRateHz: number;
  #shiftedSamples = 0;
  /**
   * Marks that have left the ring and wait until the samples before them have left the fifo, each with the number of
   * samples that must have left before it is due.
   */
  readonly #marks: { readonly markId: number; readonly dueAt: number }[] = [];

  constructor(memory: SharedArrayBuffer, rateHz: number) {
    this.#ring = new RingConsumer(memory);
    this.#rateHz = rateHz;
    this.#agentRateHz = rateHz;
    this.#fifo = new SampleFifo(frameSamples(rateHz));
  }

  /** Milliseconds read from the ring to be played. Together with `droppedMs` it covers all that has been read. */
  get playedMs(): number {
    return this.#ring.playedMs;
  }

  get droppedMs(): number {
    return this.#ring.droppedMs;
  }

  /** As `playedMs`, without what waits in here for the next frame. */
  get leftMs(): number {
    return this.playedMs - (this.#agentSamples * 1000) / this.#rateHz;
  }

  /** Milliseconds that wait, including what does not fit into the ring yet. */
  get queuedMs(): number {
    const rateHz = this.#ring.sampleRateHz || this.#rateHz;
    const queuedMs = (this.#ring.queuedSamples * 1000) / rateHz;
    return queuedMs + this.#ring.behindMs + (this.#fifo.length * 1000) / this.#rateHz;
  }

  /** Whether more waits to be queued than the ring holds. */
  get isBehind(): boolean {
    return this.#ring.behindMs > 0;
  }

  /** Whether more may be read. */
  get hasMore(): boolean {
    return this.#ring.queuedSamples > 0;
  }

  /** The samples at the room's rate: the first `length` of them. */
  get samples(): Int16Array {
    return this.#fifo.samples;
  }

  get length(): number {
    return this.#fifo.length;
  }

  /** Where the ring has been written to, and how many notes. */
  get end(): { readonly position: number; readonly noteCount: number } {
    return { position: this.#ring.writtenPosition, noteCount: this.#ring.notesWritten };
  }

  /**
   * Reads the ring until `samples` wait at the room's rate, the ring is empty, or `until` is reached. `step`: how many at a
   * time, where something else is missing each time: pieces of one length need no new view. Null: what is missing.
   */
  fill(samples: number, until: number | null, step: number | null): void {
    while (this.#fifo.length < samples) {
      this.#collectMarks();
      let length = this.#ring.readableSamples();
      if (until !== null) length = Math.min(length, this.#ring.distanceTo(until));
      if (length <= 0) return;
      this.#feed(Math.min(length, this.#pieceSamples(step ?? samples - this.#fifo.length)));
    }
  }

  /** Moves the first `count` samples to the start of `frame`. */
  shift(frame: Int16Array, count: number): void {
    this.#fifo.shift(frame, count);
    this.#noteShifted(count);
  }

  /** Removes the first `count` samples, which have been played otherwise. */
  skip(count: number): void {
    this.#fifo.drop(count);
    this.#noteShifted(count);
  }

  /** Takes the id of a mark whose audio has left, or NO_MARK. */
  takeDueMark(): number {
    this.#collectMarks();
    const [next] = this.#marks;
    if (next === undefined) this.#ring.releaseMarks();
    if (next === undefined || next.dueAt > this.#shiftedSamples) return NO_MARK;
    this.#marks.shift();
    return next.markId;
  }

  /** Drops what the ring holds before `position` and note `noteCount`, and all marks. */
  discardTo(position: number, noteCount: number): void {
    this.#ring.countDropped(this.#ring.discardTo(position, noteCount));
    this.#marks.length = 0;
    this.#ring.releaseMarks();
  }

  /** Drops the samples that have left the ring: they were not played. */
  dropRest(): void {
    const leftMs = (this.#agentSamples * 1000) / this.#rateHz;
    this.#ring.countPlayed(-leftMs);
    this.#ring.countDropped(leftMs);
    this.forgetTail();
    this.#agentSamples = 0;
  }

  /** Empties the resampler for the next utterance. */
  forgetTail(): void {
    this.flushResampler();
    this.#fifo.clear();
  }

  /** Pushes 20 ms of silence through the resampler to get the end of the utterance out of its delay line. */
  flushResampler(): void {
    if (this.#resampler === null) return;
    const length = frameSamples(this.#agentRateHz);
    piece.fill(0, 0, length);
    this.#append(length);
  }

  /**
   * Number of samples at the ring's rate that yield `missing` samples at the room's rate: at least one, at most 20 ms.
   */
  #pieceSamples(missing: number): number {
    const inHz = this.#ring.sampleRateHz;
    return Math.min(frameSamples(inHz) + 1, Math.max(1, Math.ceil((missing * inHz) / this.#rateHz)));
  }

  #feed(length: number): void {
    const rateHz = this.#ring.sampleRateHz;
    this.#setAgentRate(rateHz);
    this.#ring.read(piece, 0, length);
    this.#append(length);
    this.#agentSamples = this.#fifo.length;
    this.#ring.countPlayed((length * 1000) / rateHz);
  }

  #setAgentRate(rateHz: number): void {
    if (rateHz === this.#agentRateHz) return;
    this.flushResampler();
    this.#agentRateHz = rateHz;
    this.#resampler =
      rateHz === this.#rateHz ? null : new Resampler(rateHz, this.#rateHz, frameSamples(rateHz) + 1);
  }

  /** Appends the first `length` samples of `piece` to the fifo at the room's rate. */
  #append(length: number): void {
    const front = frontOf(length);
    this.#fifo.append(this.#resampler === null ? front : this.#resampler.process(front, length));
  }

  #noteShifted(count: number): void {
    this.#shiftedSamples += count;
    this.#agentSamples = Math.max(0, this.#agentSamples - count);
  }

  #collectMarks(): void {
    while (this.#marks.length < NOTE_CAPACITY) {
      const markId = this.#ring.takeMark();
      if (markId === NO_MARK) return;
      this.#marks.push({ markId, dueAt: this.#shiftedSamples + this.#fifo.length });
    }
  }
}
