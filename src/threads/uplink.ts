import { ringMemory } from '../rings/ring-layout.ts';
import { RingProducer } from '../rings/ring-producer.ts';
import type { QueueBudget } from './playout-budget.ts';
import type { ClearPoint } from './protocol.ts';

/** Ring capacity: 85 ms at the highest rate, 256 ms at 16 kHz. The ring is refilled every tick. */
const RING_SAMPLES = 4_096;
/** The longest message a client can send (1 MB at 8 kHz) lasts 65.5 s. The rest is for audio queued before it. */
const MAX_BACKLOG_MS = 70_000;
/** Limit on backlog items, including marks. A client that sends more marks without audio loses the newest. */
const MAX_BACKLOG_ITEMS = 10_000;

/** Size of the block that is reused. An agent that streams live may run slightly ahead for a whole call. */
const BLOCK_SAMPLES = 2_048;

/** Approximate overhead of one backlog item. Without it, items of a few samples each would fill memory uncounted. */
const ITEM_BYTES = 256;

interface BacklogAudio {
  readonly type: 'audio';
  readonly samples: Int16Array;
  sampleRateHz: number;
  /** The queued samples start at `from` and end before `to`. */
  from: number;
  to: number;
}

type BacklogItem = BacklogAudio | { readonly type: 'mark'; readonly markId: number };

/** An agent's audio on its way to the worker: a ring, and a bounded backlog for audio that does not fit yet. */
export class Uplink {
  readonly memory = ringMemory(RING_SAMPLES);
  readonly #ring = new RingProducer(this.memory);
  readonly #backlogState: QueueBudget;
  readonly #backlog: BacklogItem[] = [];
  /** A free block for reuse, if any. */
  #spare: BacklogAudio | null = null;
  #backlogMs = 0;
  #rateHz = 8_000;

  constructor(backlogState: QueueBudget) {
    this.#backlogState = backlogState;
  }

  /** Milliseconds not yet played, in the ring and in the backlog. */
  get queuedMs(): number {
    return this.#backlogMs + (this.#ring.queuedSamples * 1000) / this.#rateHz;
  }

  /** Appends a copy of the samples. Returns the milliseconds dropped for lack of room. */
  write(samples: Int16Array, sampleRateHz: number): number {
    this.#rateHz = sampleRateHz;
    const written =
      this.#backlog.length === 0 ? this.#ring.write(samples, 0, samples.length, sampleRateHz) : 0;
    if (written === samples.length) return 0;
    return this.#keep(samples, written, sampleRateHz);
  }

  /** Adds a mark after everything written so far. Returns false when there is no room. */
  mark(markId: number): boolean {
    if (this.#backlog.length === 0 && this.#ring.writeMark(markId)) return true;
    if (this.#backlog.length >= MAX_BACKLOG_ITEMS) return false;
    this.#backlog.push({ type: 'mark', markId });
    this.#noteBacklog();
    return true;
  }

  /** Moves as much of the backlog into the ring as fits. */
  advance(): void {
    if (this.#backlog.length === 0) return;
    let moved = 0;
    while (moved < this.#backlog.length && this.#move(this.#backlog[moved] as BacklogItem)) {
      this.#release(this.#backlog[moved] as BacklogItem);
      moved++;
    }
    if (moved > 0) this.#backlog.splice(0, moved);
    this.#noteBacklog();
  }

  /** Drops the backlog. Returns its milliseconds and the position in the ring at which the clear ends. */
  clear(): { readonly point: ClearPoint; readonly backlogMs: number } {
    const backlogMs = this.#backlogMs;
    for (const item of this.#backlog) this.#release(item);
    this.#backlog.length = 0;
    this.#backlogMs = 0;
    this.#noteBacklog();
    return { point: { position: this.#ring.position, noteCount: this.#ring.notesWritten }, backlogMs };
  }

  #keep(samples: Int16Array, from: number, sampleRateHz: number): number {
    const roomMs = this.#backlog.length < MAX_BACKLOG_ITEMS ? MAX_BACKLOG_MS - this.#backlogMs : 0;
    const length = Math.min(samples.length - from, Math.floor((roomMs * sampleRateHz) / 1000));
    const room = length > 0 ? this.#roomFor(length, sampleRateHz) : null;
    if (room === null) return ((samples.length - from) * 1000) / sampleRateHz;
    room.samples.set(samples.subarray(from, from + length), room.to);
    room.to += length;
    this.#backlogMs += (length * 1000) / sampleRateHz;
    this.#noteBacklog();
    return ((samples.length - from - length) * 1000) / sampleRateHz;
  }

  /**
   * Returns the block at the end of the backlog that has room for `length` samples, or null when memory is exhausted.
   */
  #roomFor(length: number, sampleRateHz: number): BacklogAudio | null {
    const last = this.#backlog.at(-1);
    const goesOn = last?.type === 'audio' && last.sampleRateHz === sampleRateHz;
    if (goesOn && last.to + length <= last.samples.length) return last;
    // After a mark or a rate change the block gets its exact length, so many small pieces take no more memory than
    // needed.
    const capacity = last === undefined || goesOn ? Math.max(length, BLOCK_SAMPLES) : length;
    if (!this.#backlogState.take(capacity * Int16Array.BYTES_PER_ELEMENT + ITEM_BYTES)) return null;
    const room = this.#newRoom(capacity);
    room.sampleRateHz = sampleRateHz;
    this.#backlog.push(room);
    return room;
  }

  #newRoom(lengthSamples: number): BacklogAudio {
    const spare = lengthSamples === BLOCK_SAMPLES ? this.#spare : null;
    if (spare === null)
      return { type: 'audio', samples: new Int16Array(lengthSamples), sampleRateHz: 0, from: 0, to: 0 };
    this.#spare = null;
    return spare;
  }

  /** At least a millisecond while anything waits, be it a mark: the worker then tells of every tick. */
  #noteBacklog(): void {
    this.#ring.noteBehind(this.#backlog.length === 0 ? 0 : Math.max(1, Math.ceil(this.#backlogMs)));
  }

  /** Returns an item's memory to the queue and keeps one block of the standard size for reuse. */
  #release(item: BacklogItem): void {
    if (item.type !== 'audio') return;
    this.#backlogState.give(item.samples.byteLength + ITEM_BYTES);
    if (item.samples.length !== BLOCK_SAMPLES) return;
    item.from = 0;
    item.to = 0;
    this.#spare = item;
  }

  /** Returns true when the whole item is in the ring. */
  #move(item: BacklogItem): boolean {
    if (item.type === 'mark') return this.#ring.writeMark(item.markId);
    const rest = item.to - item.from;
    const written = this.#ring.write(item.samples, item.from, rest, item.sampleRateHz);
    item.from += written;
    this.#backlogMs = Math.max(0, this.#backlogMs - (written * 1000) / item.sampleRateHz);
    this.#noteBacklog();
    return written === rest;
  }
}
