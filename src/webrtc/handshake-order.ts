import { EPOCH_OFFSET, RECORD_HEADER_BYTES, recordsIn } from './dtls-records.ts';

const HANDSHAKE_HEADER_BYTES = 12;
const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE = 22;
/** Records that wait for others. A handshake has a dozen. */
const MAX_WAITING = 32;

interface Waiting {
  readonly record: Buffer;
  readonly sequence: number;
}

/**
 * Puts the records of a DTLS handshake into the order in which they were sent (RFC 6347 section 4.2.2). Datagrams overtake each
 * other, and the library fails when a message comes before the one that it belongs to.
 */
export class HandshakeOrder {
  readonly #read: (records: Buffer) => void;
  /** Whether what is encrypted can be read. */
  readonly #hasKeys: () => boolean;
  /** The message that comes next, and how many of its bytes have come. */
  #next = 0;
  #bytes = 0;
  #waiting: Waiting[] = [];
  #encrypted: Buffer[] = [];

  constructor(read: (records: Buffer) => void, hasKeys: () => boolean) {
    this.#read = read;
    this.#hasKeys = hasKeys;
  }

  /** Takes a datagram, whatever it is. What the library throws is thrown. */
  take(datagram: Buffer): void {
    for (const record of recordsIn(datagram)) this.#takeRecord(record);
  }

  #takeRecord(record: Buffer): void {
    const isEncrypted = record.readUInt16BE(EPOCH_OFFSET) > 0 || record[0] === CHANGE_CIPHER_SPEC;
    if (isEncrypted && !this.#hasKeys()) {
      if (this.#encrypted.length < MAX_WAITING) this.#encrypted.push(record);
      return;
    }
    if (
      isEncrypted ||
      record[0] !== HANDSHAKE ||
      record.length < RECORD_HEADER_BYTES + HANDSHAKE_HEADER_BYTES
    )
      return this.#read(record);
    this.#takeMessage(record);
  }

  #takeMessage(record: Buffer): void {
    const sequence = record.readUInt16BE(RECORD_HEADER_BYTES + 4);
    if (sequence > this.#next) {
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ record, sequence });
      return;
    }
    this.#deliver(record, sequence);
    for (let due = this.#takeDue(); due !== undefined; due = this.#takeDue())
      this.#deliver(due.record, due.sequence);
    if (!this.#hasKeys()) return;
    for (const encrypted of this.#encrypted.splice(0)) this.#read(encrypted);
  }

  #takeDue(): Waiting | undefined {
    const at = this.#waiting.findIndex(({ sequence }) => sequence <= this.#next);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  /** An earlier message is a repetition, which the library may have to answer. */
  #deliver(record: Buffer, sequence: number): void {
    if (sequence === this.#next) {
      this.#bytes += record.readUIntBE(RECORD_HEADER_BYTES + 9, 3);
      if (this.#bytes >= record.readUIntBE(RECORD_HEADER_BYTES + 1, 3)) {
        this.#next++;
        this.#bytes = 0;
      }
    }
    this.#read(record);
  }
}
