/**
 * G.711 between 16-bit linear PCM and 8-bit companded bytes, using tables. One byte is one sample at 8 kHz. Source:
 * ITU-T G.711 (tables 1 and 2), with the arithmetic of G.191's reference: one's complement for the negative half, μ-law
 * on 14 bits, A-law on 13 bits.
 */

/** Offset of μ-law on the 14-bit scale. It makes every segment start at a power of two. */
const ULAW_BIAS = 33;
const ULAW_MAX = 0x1fff;
/** A-law inverts every other bit on the line, which keeps the line clock running on idle channels. */
const ALAW_TOGGLE = 0x55;

function ulawOf(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> 2) + ULAW_BIAS, ULAW_MAX);
  const segment = 31 - Math.clz32(magnitude >> 5);
  const code = (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f);
  return ~code & (sample < 0 ? 0x7f : 0xff);
}

function linearOfUlaw(byte: number): number {
  const code = ~byte & 0x7f;
  const segment = code >> 4;
  const magnitude = ((((code & 0x0f) << 1) + ULAW_BIAS) << segment) - ULAW_BIAS;
  return byte < 0x80 ? -(magnitude << 2) : magnitude << 2;
}

function alawOf(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = Math.max(28 - Math.clz32(magnitude), 0);
  const mantissa = (magnitude >> Math.max(segment - 1, 0)) & 0x0f;
  return ((segment << 4) | mantissa | (sample < 0 ? 0 : 0x80)) ^ ALAW_TOGGLE;
}

function linearOfAlaw(byte: number): number {
  const code = (byte ^ ALAW_TOGGLE) & 0x7f;
  const segment = code >> 4;
  const step = ((code & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return byte < 0x80 ? -magnitude : magnitude;
}

function decodeTable(linearOf: (byte: number) => number): Int16Array {
  return Int16Array.from({ length: 256 }, (_, byte) => linearOf(byte));
}

/**
 * Builds a table indexed by the sample's 16 bits as an unsigned number. At least `run` neighbours have the same byte, and
 * the negative half only another sign: 131,072 calls before they are compiled would take 50 ms of every start.
 */
function encodeTable(byteOf: (sample: number) => number, run: number): Uint8Array {
  const table = new Uint8Array(65_536);
  for (let sample = 0; sample < 32_768; sample += run) {
    const byte = byteOf(sample);
    table.fill(byte, sample, sample + run);
    table.fill(byte ^ 0x80, table.length - sample - run, table.length - sample);
  }
  return table;
}

const ULAW_DECODE = decodeTable(linearOfUlaw);
const ALAW_DECODE = decodeTable(linearOfAlaw);
const ULAW_ENCODE = encodeTable(ulawOf, 4);
const ALAW_ENCODE = encodeTable(alawOf, 16);

/** Expands `length` bytes at `offset` into the start of `out`. */
export type G711Decode = (bytes: Uint8Array, offset: number, length: number, out: Int16Array) => void;

/** Compresses the first `length` samples into `out` at `offset`. */
export type G711Encode = (samples: Int16Array, length: number, out: Uint8Array, offset: number) => void;

// Each law has its own loop: a shared loop over a table parameter makes sending a frame a tenth slower.
export const decodeUlaw: G711Decode = (bytes, offset, length, out) => {
  for (let i = 0; i < length; i++) out[i] = ULAW_DECODE[bytes[offset + i]!]!;
};

export const encodeUlaw: G711Encode = (samples, length, out, offset) => {
  for (let i = 0; i < length; i++) out[offset + i] = ULAW_ENCODE[samples[i]! & 0xffff]!;
};

export const decodeAlaw: G711Decode = (bytes, offset, length, out) => {
  for (let i = 0; i < length; i++) out[i] = ALAW_DECODE[bytes[offset + i]!]!;
};

export const encodeAlaw: G711Encode = (samples, length, out, offset) => {
  for (let i = 0; i < length; i++) out[offset + i] = ALAW_ENCODE[samples[i]! & 0xffff]!;
};

/** Compresses 16-bit little-endian PCM into `out` at `at`. */
export type G711Compress = (pcm: Uint8Array, out: Uint8Array, at: number) => void;

export const compressUlaw: G711Compress = (pcm, out, at) => {
  for (let from = 0, to = at; from < pcm.length; from += 2)
    out[to++] = ULAW_ENCODE[pcm[from]! | (pcm[from + 1]! << 8)]!;
};

export const compressAlaw: G711Compress = (pcm, out, at) => {
  for (let from = 0, to = at; from < pcm.length; from += 2)
    out[to++] = ALAW_ENCODE[pcm[from]! | (pcm[from + 1]! << 8)]!;
};
