import type { QueueMemory } from './playout-memory.ts';
import type { ClearPoint } from './protocol.ts';
import { ringMemory } from './ring-layout.ts';
import { RingProducer } from './ring-producer.ts';

/** Refilled every tick: 85 ms at the highest rate, 256 ms at 16 kHz. */
const RING_SAMPLES = 4_096;
/** A frame of 1 MB at 8 kHz, the longest that a client can send, lasts 65.5 s; some may wait before it. */
const MAX_BACKLOG_MS = 70_000;
/** Marks wait in the backlog too; a client that sends more than this without audio loses the newest. */
const MAX_BACKLOG_ITEMS = 10_000;

/** Room for so much is used again and again: an agent that speaks live may be a little ahead for a whole call. */
const BLOCK_SAMPLES = 2_048;

/** What an item takes beside its samples, or so: pieces of a few samples each would fill the memory uncounted. */
const ITEM_BYTES = 256;

interface BacklogAudio {
  readonly type: 'audio';
  readonly samples: Int16Array;
  sampleRateHz: number;
  /** What waits is from here up to there. */
  from: number;
  to: number;
}

type BacklogItem = BacklogAudio | { readonly type: 'mark'; readonly markId: number };

/** An agent's audio on its way to the worker: a ring, and a bounded backlog for what does not fit yet. */
export class Uplink {
  readonly memory = ringMemory(RING_SAMPLES);
  readonly #ring = new RingProducer(this.memory);
  readonly #backlogMemory: QueueMemory;
  readonly #backlog: BacklogItem[] = [];
  /** A block that is empty, once there was one. */
  #spare: BacklogAudio | null = null;
  #backlogMs = 0;
  #rateHz = 8_000;

  constructor(backlogMemory: QueueMemory) {
    this.#backlogMemory = backlogMemory;
  }

  /** Milliseconds that wait to be played, in the ring and behind it. */
  get queuedMs(): number {
    return this.#backlogMs + (this.#ring.queuedSamples * 1000) / this.#rateHz;
  }

  /** Takes samples in order, copying them; returns the milliseconds that found no room. */
  write(samples: Int16Array, sampleRateHz: number): number {
    this.#rateHz = sampleRateHz;
    const written =
      this.#backlog.length === 0 ? this.#ring.write(samples, 0, samples.length, sampleRateHz) : 0;
    if (written === samples.length) return 0;
    return this.#keep(samples, written, sampleRateHz);
  }

  /** Puts a mark after everything written; false: no room for it. */
  mark(markId: number): boolean {
    if (this.#backlog.length === 0 && this.#ring.writeMark(markId)) return true;
    if (this.#backlog.length >= MAX_BACKLOG_ITEMS) return false;
    this.#backlog.push({ type: 'mark', markId });
    return true;
  }

  /** Moves as much of the backlog into the ring as fits. */
  advance(): void {
    let moved = 0;
    while (moved < this.#backlog.length && this.#move(this.#backlog[moved] as BacklogItem)) {
      this.#release(this.#backlog[moved] as BacklogItem);
      moved++;
    }
    if (moved > 0) this.#backlog.splice(0, moved);
  }

  /** Forgets the backlog; returns its milliseconds and where in the ring the clearing ends. */
  clear(): { readonly point: ClearPoint; readonly backlogMs: number } {
    const backlogMs = this.#backlogMs;
    for (const item of this.#backlog) this.#release(item);
    this.#backlog.length = 0;
    this.#setBacklog(0);
    return { point: { position: this.#ring.position, noteCount: this.#ring.notesWritten }, backlogMs };
  }

  #keep(samples: Int16Array, from: number, sampleRateHz: number): number {
    const roomMs = this.#backlog.length < MAX_BACKLOG_ITEMS ? MAX_BACKLOG_MS - this.#backlogMs : 0;
    const length = Math.min(samples.length - from, Math.floor((roomMs * sampleRateHz) / 1000));
    const room = length > 0 ? this.#roomFor(length, sampleRateHz) : null;
    if (room === null) return ((samples.length - from) * 1000) / sampleRateHz;
    room.samples.set(samples.subarray(from, from + length), room.to);
    room.to += length;
    this.#setBacklog(this.#backlogMs + (length * 1000) / sampleRateHz);
    return ((samples.length - from - length) * 1000) / sampleRateHz;
  }

  /** The end of the backlog, where there is room for so many samples; null where there is no memory for them. */
  #roomFor(length: number, sampleRateHz: number): BacklogAudio | null {
    const last = this.#backlog.at(-1);
    const goesOn = last?.type === 'audio' && last.sampleRateHz === sampleRateHz;
    if (goesOn && last.to + length <= last.samples.length) return last;
    // After a mark or at another rate it has its own length, so that many small pieces take no more.
    const capacity = last === undefined || goesOn ? Math.max(length, BLOCK_SAMPLES) : length;
    if (!this.#backlogMemory.take(capacity * Int16Array.BYTES_PER_ELEMENT + ITEM_BYTES)) return null;
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

  #setBacklog(milliseconds: number): void {
    this.#backlogMs = milliseconds;
    this.#ring.noteBehind(milliseconds);
  }

  /** Gives an item's memory back; one block of the usual length is kept for the next time. */
  #release(item: BacklogItem): void {
    if (item.type !== 'audio') return;
    this.#backlogMemory.give(item.samples.byteLength + ITEM_BYTES);
    if (item.samples.length !== BLOCK_SAMPLES) return;
    item.from = 0;
    item.to = 0;
    this.#spare = item;
  }

  /** True: the item is wholly in the ring. */
  #move(item: BacklogItem): boolean {
    if (item.type === 'mark') return this.#ring.writeMark(item.markId);
    const rest = item.to - item.from;
    const written = this.#ring.write(item.samples, item.from, rest, item.sampleRateHz);
    item.from += written;
    this.#setBacklog(Math.max(0, this.#backlogMs - (written * 1000) / item.sampleRateHz));
    return written === rest;
  }
}
