/** More than a session says within the time in which it can be resumed. */
const KEPT_MESSAGES = 1_000;

/** A message as it goes over the socket: JSON is text. */
export type WireMessage = string | Buffer;

/** Numbers the messages of one session, and keeps them for a client that resumes it. */
export class Outgoing {
  readonly #kept: { readonly sequence: number; readonly message: WireMessage }[] = [];
  #sequence = 0;

  get lastSequence(): number {
    return this.#sequence;
  }

  json(op: number, data: object): string {
    this.#sequence += 1;
    return this.#keep(JSON.stringify({ op, d: data, seq: this.#sequence }));
  }

  binary(op: number, payload: Uint8Array): Buffer {
    this.#sequence += 1;
    const header = Buffer.alloc(3);
    header.writeUInt16BE(this.#sequence & 0xffff, 0);
    header.writeUInt8(op, 2);
    return this.#keep(Buffer.concat([header, payload]));
  }

  /** Null when the client lacks more than is kept. */
  after(sequence: number): readonly WireMessage[] | null {
    const first = this.#kept[0]?.sequence ?? this.#sequence + 1;
    if (sequence > this.#sequence || sequence + 1 < first) return null;
    return this.#kept.filter((kept) => kept.sequence > sequence).map(({ message }) => message);
  }

  #keep<T extends WireMessage>(message: T): T {
    this.#kept.push({ sequence: this.#sequence, message });
    if (this.#kept.length > KEPT_MESSAGES) this.#kept.shift();
    return message;
  }
}
