import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStreamDecoder } from '../../../src/models/bedrock/event-stream.ts';

/** The vendor's package writes what ours reads. */
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

function message(text: string, type = 'contentBlockDelta'): Uint8Array {
  return codec.encode({
    headers: {
      ':event-type': { type: 'string', value: type },
      ':message-type': { type: 'string', value: 'event' },
    },
    body: Buffer.from(text),
  });
}

/** A message of these header bytes, with right lengths and checksums. */
function rawMessage(headers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(16 + headers.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.set(headers, 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** A prelude with a right checksum. */
function prelude(sizeBytes: number, headersBytes: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(sizeBytes, 0);
  bytes.writeUInt32BE(headersBytes, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

function decoded(...chunks: readonly Uint8Array[]): string[] {
  const decoder = new EventStreamDecoder();
  return chunks
    .flatMap((chunk) => decoder.push(chunk))
    .map(({ headers, payload }) => `${headers.get(':event-type')} ${payload.toString()}`);
}

/** Cuts bytes at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}

describe('an event stream', () => {
  it('is the same in any chunks', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 8 });
    const property = fc.property(texts, fc.array(fc.nat(), { maxLength: 40 }), (written, places) => {
      const bytes = Buffer.concat(written.map((text) => message(text)));
      expect(decoded(...cut(bytes, places))).toEqual(written.map((text) => `contentBlockDelta ${text}`));
    });
    fc.assert(property, { numRuns: 2_000, seed: 23 });
  });

  it('is read byte by byte', () => {
    const bytes = Buffer.concat([message('{"a":1}', 'messageStart'), message('', 'messageStop')]);
    const single = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(decoded(...single)).toEqual(['messageStart {"a":1}', 'messageStop ']);
  });

  it('has headers of all types, of which texts count', () => {
    const bytes = codec.encode({
      headers: {
        yes: { type: 'boolean', value: true },
        no: { type: 'boolean', value: false },
        byte: { type: 'byte', value: 1 },
        short: { type: 'short', value: 2 },
        integer: { type: 'integer', value: 3 },
        binary: { type: 'binary', value: Uint8Array.of(1, 2, 3) },
        time: { type: 'timestamp', value: new Date(0) },
        uuid: { type: 'uuid', value: '01234567-89ab-cdef-0123-456789abcdef' },
        ':event-type': { type: 'string', value: 'metadata' },
      },
      body: Buffer.from('{}'),
    });
    const [read] = new EventStreamDecoder().push(bytes);
    expect(read?.headers).toEqual(new Map([[':event-type', 'metadata']]));
  });

  it('is broken by any byte that changes', () => {
    const bytes = message('{"delta":{"text":"Hello"}}');
    for (let at = 0; at < bytes.length; at++) {
      const broken = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 0x10 : byte));
      expect(() => decoded(broken), `byte ${at}`).toThrow(/checksum/);
    }
  });

  it.each([
    ['a message is too long', prelude(1_048_577, 0)],
    ['a message is too long', prelude(1_000_000, 131_073)],
    ['lengths contradict each other', prelude(15, 0)],
    ['lengths contradict each other', prelude(20, 5)],
    ['a header has an unknown type', rawMessage([1, 0x61, 10])],
    ['a header is longer than it may be', rawMessage([9, 0x61])],
    ['a header is longer than it may be', rawMessage([1, 0x61, 7, 0, 9, 0x62])],
    ['a header is longer than it may be', rawMessage([1, 0x61, 4, 0])],
  ])('is refused because %s', (words, bytes) => {
    expect(() => decoded(bytes)).toThrow(words);
  });

  it('waits for the rest of a message', () => {
    const bytes = message('Hello');
    expect(decoded(bytes.subarray(0, 11))).toEqual([]);
    expect(decoded(bytes.subarray(0, -1))).toEqual([]);
  });
});
