/** G.711 μ-law by its formula, sample by sample. */
export function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 132;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

export function decodeMuLaw(byte: number): number {
  const inverted = ~byte & 0xff;
  const exponent = (inverted >> 4) & 0x07;
  const magnitude = ((((inverted & 0x0f) << 3) + 132) << exponent) - 132;
  return inverted & 0x80 ? -magnitude : magnitude;
}

/** 8 to 16 kHz, linearly; `before` is the last sample of the frame before. */
export function upsample(pcm: Int16Array, before: number): Int16Array<ArrayBuffer> {
  const doubled = new Int16Array(pcm.length * 2);
  let last = before;
  for (const [i, sample] of pcm.entries()) {
    doubled[2 * i] = (last + sample) / 2;
    doubled[2 * i + 1] = sample;
    last = sample;
  }
  return doubled;
}

/** 16 to 8 kHz: the mean of two samples. */
export function downsample(bytes: Buffer): Int16Array<ArrayBuffer> {
  const pcm = new Int16Array(bytes.length / 4);
  for (let i = 0; i < pcm.length; i++) {
    pcm[i] = (bytes.readInt16LE(4 * i) + bytes.readInt16LE(4 * i + 2)) / 2;
  }
  return pcm;
}
