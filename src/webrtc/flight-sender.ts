import type { DtlsSocket } from 'werift';
import { EPOCH_OFFSET, LENGTH_OFFSET, RECORD_HEADER_BYTES, recordsIn } from './dtls-records.ts';

/** Fits through any path. */
const MAX_BYTES = 1_200;
const SEQUENCE_OFFSET = 5;
const SEQUENCE_BYTES = 6;
const VERSION = 0xfefd;

/**
 * Sends the flights of our side of a handshake (RFC 6347 section 4.2.4): the messages of a flight in one datagram, so that they
 * do not overtake each other, and repeated ones under new record numbers. The library sends each for itself, and repeats it as it
 * was, which the other side takes for a replay.
 */
export class FlightSender {
  readonly #send: (datagram: Buffer) => void;
  /** What was sent before. The library keeps the same buffers to send them again. */
  readonly #sent = new WeakSet<Buffer>();
  /** The next number of each epoch. */
  readonly #numbers = [0, 0];
  /** What was encrypted, by the record that came of it. */
  readonly #plain = new Map<string, Buffer>();
  #socket: DtlsSocket | null = null;
  #waiting: Buffer[] = [];
  #bytes = 0;

  constructor(send: (datagram: Buffer) => void) {
    this.#send = send;
  }

  /** Sees what is encrypted, to do it again. */
  watch(socket: DtlsSocket): void {
    this.#socket = socket;
    const { cipher } = socket;
    const encrypt = cipher.encryptPacket.bind(cipher);
    cipher.encryptPacket = (packet) => {
      const plain = Buffer.from(packet.fragment);
      const encrypted = encrypt(packet);
      this.#plain.set(encrypted.fragment.toString('latin1'), plain);
      return encrypted;
    };
  }

  /** Takes one or several records, to be sent with what else is sent now. */
  add(records: Buffer): void {
    const isRepeated = this.#sent.has(records);
    this.#sent.add(records);
    const numbered = recordsIn(records).map((record) =>
      isRepeated ? this.#renumber(record) : this.#note(record),
    );
    const length = numbered.reduce((sum, record) => sum + record.length, 0);
    if (this.#bytes + length > MAX_BYTES) this.#flush();
    if (this.#waiting.length === 0) queueMicrotask(() => this.#flush());
    this.#waiting.push(...numbered);
    this.#bytes += length;
  }

  #note(record: Buffer): Buffer {
    const epoch = record.readUInt16BE(EPOCH_OFFSET);
    const after = record.readUIntBE(SEQUENCE_OFFSET, SEQUENCE_BYTES) + 1;
    this.#numbers[epoch] = Math.max(this.#numbers[epoch] ?? 0, after);
    return record;
  }

  #renumber(record: Buffer): Buffer {
    const epoch = record.readUInt16BE(EPOCH_OFFSET);
    const number = this.#numbers[epoch] ?? 0;
    this.#numbers[epoch] = number + 1;
    const again = epoch === 0 ? Buffer.from(record) : this.#encryptAgain(record, number);
    again.writeUIntBE(number, SEQUENCE_OFFSET, SEQUENCE_BYTES);
    return again;
  }

  /** The number is part of what is authenticated. */
  #encryptAgain(record: Buffer, sequenceNumber: number): Buffer {
    const plain = this.#plain.get(record.toString('latin1', RECORD_HEADER_BYTES));
    if (plain === undefined || this.#socket === null) return Buffer.from(record);
    const { cipher, sessionType } = this.#socket;
    const header = { type: record[0]!, version: VERSION, epoch: 1, sequenceNumber };
    const fragment = cipher.cipher.encrypt(sessionType, plain, header);
    const again = Buffer.concat([record.subarray(0, RECORD_HEADER_BYTES), fragment]);
    again.writeUInt16BE(fragment.length, LENGTH_OFFSET);
    return again;
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const datagram = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#send(datagram);
  }
}
