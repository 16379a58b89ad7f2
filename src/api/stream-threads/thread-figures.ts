/** Figures of one stream thread in shared memory: it writes, any thread reads. */
const HEARTBEAT = 0;
const SOCKETS = 1;
const UNREAD_BYTES = 2;
const DROPPED_SLOW = 3;
const DROPPED_FULL = 4;
const CPU_MS = 5;
const WORDS = 6;

export class ThreadFigures {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  get heartbeat(): number {
    return Atomics.load(this.#words, HEARTBEAT);
  }

  read() {
    const [, sockets = 0, unreadBytes = 0, droppedSlow = 0, droppedFull = 0, cpuMs = 0] = this.#words;
    return { sockets, unreadBytes, droppedSlow, droppedFull, cpuMs };
  }

  /** The thread is alive, and these are its figures now. */
  beat(now: ReturnType<ThreadFigures['read']>): void {
    this.#words[SOCKETS] = now.sockets;
    this.#words[UNREAD_BYTES] = now.unreadBytes;
    this.#words[DROPPED_SLOW] = now.droppedSlow;
    this.#words[DROPPED_FULL] = now.droppedFull;
    this.#words[CPU_MS] = now.cpuMs;
    Atomics.add(this.#words, HEARTBEAT, 1);
  }
}
