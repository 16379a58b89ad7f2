/** Something whose bytes wait for a client to read. */
export interface Waiting {
  /** Bytes that wait now. */
  waitingBytes(): number;
  /** Drops the connection and, with it, the bytes. */
  drop(): void;
}

interface Entry {
  bytes: number;
  /** When the client last took something. */
  progressMs: number;
  readonly patienceMs: number;
}

/** What waits on all connections together; beyond it the client that has taken nothing for longest is cut off. */
const MAX_BYTES = 64 * 1_048_576;
/** A client that takes nothing for so long is cut off. */
const PATIENCE_MS = 10_000;
const LOOK_INTERVAL_MS = 500;

export interface BacklogOptions {
  readonly maxBytes?: number;
  readonly patienceMs?: number;
}

/** The bytes of all answers and WebSocket messages that clients have not read yet, and the clients that do not read. */
export class Backlog {
  /** Connections that were cut off because the client took nothing for too long; because too much waited in all. */
  droppedSlow = 0;
  droppedFull = 0;
  readonly #entries = new Map<Waiting, Entry>();
  readonly #maxBytes: number;
  readonly #patienceMs: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes = MAX_BYTES, patienceMs = PATIENCE_MS }: BacklogOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#patienceMs = patienceMs;
  }

  /** As of the last look, at most half a second ago. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins to count, or counts anew. `isPatient`: its owner decides how long the client may take. */
  add(waiting: Waiting, isPatient = false): void {
    const bytes = waiting.waitingBytes();
    const known = this.#entries.get(waiting);
    this.#bytes += bytes - (known?.bytes ?? 0);
    if (known) known.bytes = bytes;
    else {
      const patienceMs = isPatient ? Number.POSITIVE_INFINITY : this.#patienceMs;
      this.#entries.set(waiting, { bytes, progressMs: performance.now(), patienceMs });
    }
    this.#timer ??= setInterval(() => this.#look(), Math.min(LOOK_INTERVAL_MS, this.#patienceMs / 4)).unref();
    while (this.#bytes > this.#maxBytes) this.#dropLeastRead();
  }

  /** Safe to call for what is not counted. */
  remove(waiting: Waiting): void {
    const entry = this.#entries.get(waiting);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(waiting);
    if (this.#entries.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [waiting, entry] of [...this.#entries]) {
      const bytes = waiting.waitingBytes();
      if (bytes !== entry.bytes) entry.progressMs = nowMs;
      this.#bytes += bytes - entry.bytes;
      entry.bytes = bytes;
      if (nowMs - entry.progressMs < entry.patienceMs) continue;
      this.droppedSlow += 1;
      this.#drop(waiting);
    }
  }

  #dropLeastRead(): void {
    let least: Waiting | null = null;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [waiting, { progressMs }] of this.#entries) {
      if (progressMs >= leastMs) continue;
      least = waiting;
      leastMs = progressMs;
    }
    if (least === null) return;
    this.droppedFull += 1;
    this.#drop(least);
  }

  #drop(waiting: Waiting): void {
    this.remove(waiting);
    waiting.drop();
  }
}
