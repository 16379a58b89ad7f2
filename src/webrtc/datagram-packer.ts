/** Fits through any path. */
const MAX_BYTES = 1_200;

/**
 * Puts what is sent at once into one datagram (RFC 6347 section 4.1.1). The library sends each message of a flight in one of its
 * own, and repeats them under the same record numbers: if one was overtaken by another, the other side takes all repetitions for
 * replays and the handshake never ends.
 */
export class DatagramPacker {
  readonly #send: (datagram: Buffer) => void;
  #waiting: Buffer[] = [];
  #bytes = 0;

  constructor(send: (datagram: Buffer) => void) {
    this.#send = send;
  }

  add(records: Buffer): void {
    if (this.#bytes + records.length > MAX_BYTES) this.#flush();
    if (this.#waiting.length === 0) queueMicrotask(() => this.#flush());
    this.#waiting.push(records);
    this.#bytes += records.length;
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const datagram = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#send(datagram);
  }
}
