import { MAX_MESSAGE_BYTES } from '../message/sip-message.ts';

const EMPTY = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
const FIRST_CAPACITY_BYTES = 2_048;
const CR = 13;
const LF = 10;

/**
 * Splits a byte stream into SIP messages by Content-Length (RFC 3261 section 18.3). Each byte is copied and searched a
 * bounded number of times, however small the chunks.
 */
export class StreamFramer {
  /** Unconsumed bytes: `#pending` up to `#end`. The buffer grows by doubling. */
  #pending: Buffer = EMPTY;
  #end = 0;
  /** No head ends before this offset. */
  #searched = 0;
  /** Length of the current message; 0 until its head is complete. */
  #messageBytes = 0;
  #maxBytes: number;

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Accepts messages of full length from now on. */
  trust(): void {
    this.#maxBytes = MAX_MESSAGE_BYTES;
  }

  /**
   * Adds bytes and returns the messages that are now complete, valid until the next call. Returns null when the stream
   * cannot be recovered (missing or invalid Content-Length, or a message that is too long) and its connection must be
   * closed.
   */
  push(bytes: Buffer): Buffer[] | null {
    this.#append(bytes);
    const messages: Buffer[] = [];
    let start = 0;
    for (;;) {
      if (this.#messageBytes === 0) start = this.#skipKeepAlive(start);
      const lengthBytes = this.#measure(start);
      if (lengthBytes === 'broken') return null;
      if (lengthBytes === 'incomplete' || start + lengthBytes > this.#end) break;
      messages.push(this.#pending.subarray(start, start + lengthBytes));
      start += lengthBytes;
      this.#searched = start;
      this.#messageBytes = 0;
    }
    this.#keepFrom(start);
    return messages;
  }

  /** Appends bytes. Without pending bytes no copy is needed: most messages arrive whole. */
  #append(bytes: Buffer): void {
    if (this.#end === 0) {
      this.#pending = bytes;
      this.#end = bytes.length;
      return;
    }
    const end = this.#end + bytes.length;
    if (end > this.#pending.length) this.#grow(end);
    this.#pending.set(bytes, this.#end);
    this.#end = end;
  }

  #grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(
      Math.max(neededBytes, this.#pending.length * 2, FIRST_CAPACITY_BYTES),
    );
    grown.set(this.#pending.subarray(0, this.#end));
    this.#pending = grown;
  }

  /** Skips CRLF between messages: keep-alives and their answers (RFC 5626 section 3.5.1). */
  #skipKeepAlive(from: number): number {
    let at = from;
    while (at < this.#end && (this.#pending[at] === CR || this.#pending[at] === LF)) at += 1;
    this.#searched = Math.max(this.#searched, at);
    return at;
  }

  #measure(start: number): number | 'incomplete' | 'broken' {
    if (this.#messageBytes === 0) {
      const headEnd = this.#pending.subarray(0, this.#end).indexOf(HEAD_END, this.#searched);
      if (headEnd < 0) {
        // The end of the head may have arrived partially.
        this.#searched = Math.max(start, this.#end - HEAD_END.length + 1);
        return this.#end - start > this.#maxBytes ? 'broken' : 'incomplete';
      }
      const bodyBytes = contentLength(this.#pending.toString('latin1', start, headEnd));
      if (bodyBytes === null) return 'broken';
      this.#messageBytes = headEnd - start + HEAD_END.length + bodyBytes;
    }
    return this.#messageBytes > this.#maxBytes ? 'broken' : this.#messageBytes;
  }

  /** Drops consumed bytes. The rest is copied to a buffer of our own, because `bytes` belongs to the socket. */
  #keepFrom(start: number): void {
    const isOurs = this.#pending.length > this.#end && start === 0;
    if (isOurs) return;
    const rest = this.#pending.subarray(start, this.#end);
    this.#searched -= start;
    this.#end = rest.length;
    if (rest.length === 0) {
      this.#pending = EMPTY;
      return;
    }
    this.#pending = Buffer.allocUnsafeSlow(Math.max(rest.length * 2, FIRST_CAPACITY_BYTES));
    this.#pending.set(rest);
  }
}

function contentLength(head: string): number | null {
  const declared = /\r\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*(?:\r\n|$)/i.exec(head);
  return declared === null ? null : Number(declared[1]);
}
