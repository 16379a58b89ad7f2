import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { requirePeer } from '../../support/require-peer.ts';

const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, i) => i);
const LAWS = [
  { name: 'mulaw', decode: decodeUlaw, encode: encodeUlaw, reference: ulawReference },
  { name: 'alaw', decode: decodeAlaw, encode: encodeAlaw, reference: alawReference },
];

/** ITU-T G.191 ulaw_compress, step by step as in the reference. */
function ulawReference(sample: number): number {
  let magnitude = sample < 0 ? (~sample >> 2) + 33 : (sample >> 2) + 33;
  if (magnitude > 0x1fff) magnitude = 0x1fff;
  let segment = 1;
  for (let i = magnitude >> 6; i !== 0; i >>= 1) segment++;
  const byte = ((8 - segment) << 4) | (0xf - ((magnitude >> segment) & 0xf));
  return sample >= 0 ? byte | 0x80 : byte;
}

/** ITU-T G.191 alaw_compress, step by step as in the reference. */
function alawReference(sample: number): number {
  let magnitude = sample < 0 ? ~sample >> 4 : sample >> 4;
  if (magnitude > 15) {
    let exponent = 1;
    while (magnitude > 31) {
      magnitude >>= 1;
      exponent++;
    }
    magnitude = magnitude - 16 + (exponent << 4);
  }
  return (sample >= 0 ? magnitude | 0x80 : magnitude) ^ 0x55;
}

const noFfmpeg = requirePeer('ffmpeg');

function ffmpeg(from: string, to: string, input: Uint8Array): Buffer {
  const args = ['-v', 'error', '-f', from, '-ar', '8000', '-ac', '1', '-i', 'pipe:0', '-f', to, 'pipe:1'];
  return execFileSync('ffmpeg', args, { input, maxBuffer: 1 << 20 });
}

describe.each(LAWS)('$name', ({ name, decode, encode, reference }) => {
  const decoded = new Int16Array(256);
  decode(ALL_BYTES, 0, 256, decoded);
  const encoded = new Uint8Array(65_536);
  encode(ALL_SAMPLES, 65_536, encoded, 0);

  it('compresses every sample as the ITU reference does', () => {
    expect(Array.from(encoded)).toEqual(Array.from(ALL_SAMPLES, reference));
  });

  it('restores every byte that it expanded', () => {
    const again = new Uint8Array(256);
    encode(decoded, 256, again, 0);
    // μ-law has two zeros; the negative one comes back as the positive one.
    const expected = ALL_BYTES.map((byte) => (name === 'mulaw' && byte === 0x7f ? 0xff : byte));
    expect(again).toEqual(expected);
  });

  it('honours offset and length', () => {
    const out = new Uint8Array(5).fill(1);
    encode(Int16Array.of(0, 1000, -1000), 2, out, 2);
    expect(Array.from(out)).toEqual([1, 1, reference(0), reference(1000), 1]);
    const samples = new Int16Array(3);
    decode(out, 3, 1, samples);
    expect(Array.from(samples)).toEqual([decoded[reference(1000)], 0, 0]);
  });

  it.skipIf(noFfmpeg)('expands every byte as ffmpeg does', () => {
    const theirs = ffmpeg(name, 's16le', ALL_BYTES);
    expect(decoded).toEqual(new Int16Array(theirs.buffer, theirs.byteOffset, 256));
  });

  it.skipIf(noFfmpeg)('compresses as ffmpeg does, except at the decision values between two segments', () => {
    // ffmpeg decides half-way between two levels; the standard's own decision values are slightly off it.
    const theirs = ffmpeg('s16le', name, new Uint8Array(ALL_SAMPLES.buffer));
    const levels = Array.from(new Set(decoded)).sort((a, b) => a - b);
    const differing = ALL_SAMPLES.filter((_, i) => decoded[theirs[i]!] !== decoded[encoded[i]!]);
    expect(differing.length / 65_536).toBeLessThan(0.03);
    for (const sample of differing) {
      const i = sample + 32_768;
      const distance = levels.indexOf(decoded[theirs[i]!]!) - levels.indexOf(decoded[encoded[i]!]!);
      expect(Math.abs(distance)).toBe(1);
    }
  });
});
