import { expect, it } from 'vitest';
import { oggPackets } from '../../../src/audio/ogg-packets.ts';

/** A page with these segments; its checksum is not read. */
function page(segments: readonly number[], fill: number, serial = 1): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS', 'latin1');
  header.writeUInt32LE(serial, 14);
  header[26] = segments.length;
  const length = segments.reduce((sum, each) => sum + each, 0);
  return Buffer.concat([header, Buffer.from(segments), Buffer.alloc(length, fill)]);
}

const lengths = (file: Buffer) => [...oggPackets(file)].map(({ length }) => length);

it('reads packets within a page, and over several', () => {
  expect(lengths(page([10, 255, 5, 0], 1))).toEqual([10, 260, 0]);
  const file = Buffer.concat([page([255, 255], 1), page([255], 2), page([3, 7], 3)]);
  expect(lengths(file)).toEqual([768, 7]);
});

it('reads one of several streams', () => {
  expect(lengths(Buffer.concat([page([4], 1, 7), page([9], 1, 8), page([5], 1, 7)]))).toEqual([4, 5]);
});

it('ends where a file is cut, is something else, or has a packet without end', () => {
  const whole = page([200, 100], 1);
  for (let end = 0; end <= whole.length; end++) {
    const read = lengths(whole.subarray(0, end));
    expect(read.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(300);
  }
  expect(lengths(Buffer.from('not Ogg at all, but rather long for a header'))).toEqual([]);
  const endless = Buffer.concat(Array.from({ length: 40 }, () => page(Array(255).fill(255), 1)));
  expect(lengths(endless)).toEqual([]);
});
