/** A connection with bytes that the client has not read yet. */
export interface UnreadConnection {
  /** Number of unread bytes. */
  unreadBytes(): number;
  /** Drops the connection and its unread bytes. */
  drop(): void;
}

interface Entry {
  bytes: number;
  /** Time at which the client last read something. */
  progressMs: number;
  readonly patienceMs: number;
}

/** Limit on unread bytes across all connections. Above it, the connection that has been stalled longest is dropped. */
const MAX_BYTES = 64 * 1_048_576;
/** A client that reads nothing for this long is disconnected. */
const PATIENCE_MS = 10_000;
const LOOK_INTERVAL_MS = 500;

export interface BacklogOptions {
  readonly maxBytes?: number;
  readonly patienceMs?: number;
}

/** Tracks the bytes of HTTP answers and WebSocket messages that clients have not read, and drops stalled clients. */
export class Backlog {
  /** Connections dropped because the client read nothing for too long, and because the total limit was exceeded. */
  droppedSlow = 0;
  droppedFull = 0;
  readonly #entries = new Map<UnreadConnection, Entry>();
  readonly #maxBytes: number;
  readonly #patienceMs: number;
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ maxBytes = MAX_BYTES, patienceMs = PATIENCE_MS }: BacklogOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#patienceMs = patienceMs;
  }

  /** Total as of the last check, at most half a second ago. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Starts tracking a connection, or updates its count. With `isPatient`, the connection has no stall timeout here: its
   * owner decides how long the client may take.
   */
  add(connection: UnreadConnection, isPatient = false): void {
    const bytes = connection.unreadBytes();
    const known = this.#entries.get(connection);
    this.#bytes += bytes - (known?.bytes ?? 0);
    if (known) known.bytes = bytes;
    else {
      const patienceMs = isPatient ? Number.POSITIVE_INFINITY : this.#patienceMs;
      this.#entries.set(connection, { bytes, progressMs: performance.now(), patienceMs });
    }
    this.#timer ??= setInterval(() => this.#look(), Math.min(LOOK_INTERVAL_MS, this.#patienceMs / 4)).unref();
    while (this.#bytes > this.#maxBytes) this.#dropLeastRead();
  }

  /** Stops tracking a connection. Does nothing if it is not tracked. */
  remove(connection: UnreadConnection): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(connection);
    if (this.#entries.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [connection, entry] of [...this.#entries]) {
      const bytes = connection.unreadBytes();
      if (bytes !== entry.bytes) entry.progressMs = nowMs;
      this.#bytes += bytes - entry.bytes;
      entry.bytes = bytes;
      if (nowMs - entry.progressMs < entry.patienceMs) continue;
      this.droppedSlow += 1;
      this.#drop(connection);
    }
  }

  #dropLeastRead(): void {
    let least: UnreadConnection | null = null;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [connection, { progressMs }] of this.#entries) {
      if (progressMs >= leastMs) continue;
      least = connection;
      leastMs = progressMs;
    }
    if (least === null) return;
    this.droppedFull += 1;
    this.#drop(least);
  }

  #drop(connection: UnreadConnection): void {
    this.remove(connection);
    connection.drop();
  }
}
