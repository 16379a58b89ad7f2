import { type AudioFormat, bytesPerSample, bytesPerSecond, isSilent, silenceOf } from '../audio-format.ts';

const KEPT_MS = 5_000;
/** So many silent chunks are a pause, not the gap between two words. */
const PAUSE_CHUNKS = 2;
/** Stretches of audio without a gap, on one connection. */
const MAX_STRETCHES = 100;

/** Audio that was heard without a gap, starting at these bytes of the vendor's audio and of ours. */
interface Stretch {
  readonly vendor: number;
  readonly heard: number;
}

interface Chunk {
  /** Position of its first byte in what was heard. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * What was heard lately: at most 5 s that the vendor has not settled, meaning that no result covers it yet. A new
 * connection is sent all of it again. Times are in ms of the audio heard; the vendor counts from the beginning of its
 * connection, and includes the silence that we send it to keep it open.
 */
export class AudioBacklog {
  readonly #format: AudioFormat;
  readonly #bytesPerMs: number;
  readonly #maxBytes: number;
  readonly #chunks: Chunk[] = [];
  #stretches: Stretch[] = [];
  /** Bytes heard in all. */
  #heard = 0;
  /** Where the next chunk to be sent begins. */
  #sent = 0;
  #settled = 0;
  /** Bytes that this connection's vendor has been sent. */
  #vendor = 0;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#bytesPerMs = bytesPerSecond(format) / 1_000;
    this.#maxBytes = KEPT_MS * this.#bytesPerMs;
  }

  get sentMs(): number {
    return this.#sent / this.#bytesPerMs;
  }

  get settledMs(): number {
    return this.#settled / this.#bytesPerMs;
  }

  /** Milliseconds that have not been sent. */
  get unsentMs(): number {
    return (this.#heard - this.#sent) / this.#bytesPerMs;
  }

  /** When the audio begins that can be sent again. */
  get oldestMs(): number {
    return this.#oldest / this.#bytesPerMs;
  }

  /** Takes a chunk, and drops the oldest audio beyond 5 s. */
  add(bytes: Uint8Array): void {
    this.#chunks.push({ start: this.#heard, bytes });
    this.#heard += bytes.length;
    while (this.#heard - this.#oldest > this.#maxBytes) this.#dropOldest();
  }

  /** Returns the next chunk to be sent, which then counts as sent. */
  next(): Uint8Array | null {
    const chunk = this.#chunks[this.#firstUnsent()];
    if (chunk === undefined) return null;
    const last = this.#stretches.at(-1);
    if (last === undefined || chunk.start - last.heard !== this.#vendor - last.vendor) {
      this.#stretches.push({ vendor: this.#vendor, heard: chunk.start });
      if (this.#stretches.length > MAX_STRETCHES) this.#stretches.shift();
    }
    this.#vendor += chunk.bytes.length;
    this.#sent = chunk.start + chunk.bytes.length;
    return chunk.bytes;
  }

  /** Returns the next chunks to be sent, `count` at most. */
  upcoming(count: number): readonly Uint8Array[] {
    const first = this.#firstUnsent();
    return this.#chunks.slice(first, first + count).map(({ bytes }) => bytes);
  }

  /** Passes over the next chunk, which then counts as sent although the vendor does not hear it. */
  skip(): void {
    const [chunk] = this.upcoming(1);
    this.#sent += chunk?.length ?? 0;
  }

  /** Returns silence for the vendor, which nobody said. */
  silence(durationMs: number): Uint8Array {
    const bytes = silenceOf(this.#format, durationMs);
    this.#vendor += bytes.length;
    return bytes;
  }

  /** A connection is new: everything that is not settled is to be sent, again or for the first time. */
  rewind(): void {
    this.#sent = this.#oldest;
    this.#vendor = 0;
    this.#stretches = [];
  }

  /** Returns the time that the vendor calls `vendorMs`. */
  heardMs(vendorMs: number): number {
    const vendor = vendorMs * this.#bytesPerMs;
    const at = this.#stretches.findLastIndex((stretch) => stretch.vendor <= vendor);
    const stretch = this.#stretches[at];
    if (stretch === undefined) return this.oldestMs;
    const end = this.#stretches[at + 1]?.heard ?? this.#sent;
    return Math.min(stretch.heard + vendor - stretch.vendor, end) / this.#bytesPerMs;
  }

  /** Returns the end of the last pause within the latest `durationMs` that were sent. Null: there was none. */
  pauseEndMs(durationMs: number): number | null {
    const earliest = this.#sent - durationMs * this.#bytesPerMs;
    let silent = 0;
    for (let at = this.#firstUnsent() - 1; at >= 0; at--) {
      const { start, bytes } = this.#chunks[at] as Chunk;
      if (start < earliest) break;
      silent = isSilent(bytes, this.#format) ? silent + 1 : 0;
      if (silent < PAUSE_CHUNKS) continue;
      const last = this.#chunks[at + PAUSE_CHUNKS - 1] as Chunk;
      return (last.start + last.bytes.length) / this.#bytesPerMs;
    }
    return null;
  }

  /** Forgets what was heard before `heardMs`: results cover it. */
  settle(heardMs: number): void {
    const sampleBytes = bytesPerSample(this.#format);
    const end = Math.round((heardMs * this.#bytesPerMs) / sampleBytes) * sampleBytes;
    this.#settled = Math.max(this.#settled, Math.min(end, this.#sent));
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const settled = this.#settled - chunk.start;
      if (settled <= 0) return;
      this.#chunks.shift();
      if (settled >= chunk.bytes.length) continue;
      this.#chunks.unshift({ start: this.#settled, bytes: chunk.bytes.subarray(settled) });
    }
  }

  get #oldest(): number {
    return this.#chunks[0]?.start ?? this.#heard;
  }

  /** Index of the next chunk to be sent. Searched from the end, because nearly all chunks have been sent. */
  #firstUnsent(): number {
    let first = this.#chunks.length;
    while (first > 0 && (this.#chunks[first - 1] as Chunk).start >= this.#sent) first--;
    return first;
  }

  #dropOldest(): void {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined && chunk.start >= this.#sent) this.#sent = chunk.start + chunk.bytes.length;
  }
}
