import { crc32 } from 'node:zlib';

/** The stream breaks its format, so nothing after this point can be read. */
export class BrokenEventStream extends Error {
  override readonly name = 'BrokenEventStream';
}

export interface EventStreamMessage {
  /** Those that are texts, such as `:event-type`. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Limit of a message. Parts of a text are far below it. */
const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_HEADERS_BYTES = 131_072;

/** Types of header values by their numbers, with their sizes in bytes. Those with a length of their own are apart. */
const FIXED_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const STRING_TYPE = 7;

/**
 * Decodes `application/vnd.amazon.eventstream`, in any chunks. A message is: its length, the length of its headers, the
 * CRC of these eight bytes, headers, payload, the CRC of everything before; numbers are big-endian.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export class EventStreamDecoder {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** So many are needed before anything can be read: a long message in many chunks is put together once. */
  #wantedBytes = PRELUDE_BYTES;

  /** Returns the messages that are complete now. Throws BrokenEventStream. */
  push(chunk: Uint8Array): readonly EventStreamMessage[] {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes < this.#wantedBytes) return [];
    const messages: EventStreamMessage[] = [];
    let rest = Buffer.concat(this.#waiting);
    let sizeBytes = sizeOfFirst(rest);
    while (sizeBytes !== null && rest.length >= sizeBytes) {
      messages.push(decode(rest.subarray(0, sizeBytes)));
      rest = rest.subarray(sizeBytes);
      sizeBytes = sizeOfFirst(rest);
    }
    this.#waiting = [rest];
    this.#waitingBytes = rest.length;
    this.#wantedBytes = sizeBytes ?? PRELUDE_BYTES;
    return messages;
  }
}

/** Returns null until the prelude is complete. */
function sizeOfFirst(bytes: Buffer): number | null {
  if (bytes.length < PRELUDE_BYTES) return null;
  check(crc32(bytes.subarray(0, 8)) === bytes.readUInt32BE(8), 'a prelude has another checksum');
  const sizeBytes = bytes.readUInt32BE(0);
  const headersBytes = bytes.readUInt32BE(4);
  check(sizeBytes <= MAX_MESSAGE_BYTES && headersBytes <= MAX_HEADERS_BYTES, 'a message is too long');
  check(sizeBytes >= PRELUDE_BYTES + headersBytes + CRC_BYTES, 'lengths contradict each other');
  return sizeBytes;
}

function decode(message: Buffer): EventStreamMessage {
  const end = message.length - CRC_BYTES;
  check(crc32(message.subarray(0, end)) === message.readUInt32BE(end), 'a message has another checksum');
  const payloadAt = PRELUDE_BYTES + message.readUInt32BE(4);
  return {
    headers: textHeaders(message.subarray(PRELUDE_BYTES, payloadAt)),
    payload: message.subarray(payloadAt, end),
  };
}

function textHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const reader = new HeaderReader(bytes);
  while (!reader.isAtEnd) {
    const name = reader.take(reader.number(1)).toString();
    const type = reader.number(1);
    const sizeBytes = FIXED_BYTES[type];
    check(sizeBytes !== undefined, 'a header has an unknown type');
    const value = reader.take(sizeBytes ?? reader.number(2));
    if (type === STRING_TYPE) headers.set(name, value.toString());
  }
  return headers;
}

/** Reads headers from their start to their end, and never beyond. */
class HeaderReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Buffer {
    check(this.#at + count <= this.#bytes.length, 'a header is longer than it may be');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(sizeBytes: 1 | 2): number {
    return this.take(sizeBytes).readUIntBE(0, sizeBytes);
  }
}

function check(condition: boolean, words: string): asserts condition {
  if (!condition) throw new BrokenEventStream(words);
}
