const HEADER_BYTES = 44;
const FORMAT_PCM = 1;
const BYTES_PER_SAMPLE = 2;

/** Returns a WAV file: mono, 16 bits. Source: Multimedia Programming Interface and Data Specifications 1.0, RIFF. */
export function wavFile(samples: Int16Array, rateHz: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * BYTES_PER_SAMPLE;
  const file = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const write = (at: number, tag: string) => new TextEncoder().encodeInto(tag, file.subarray(at));
  write(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rateHz, true);
  view.setUint32(28, rateHz * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  write(36, 'data');
  view.setUint32(40, dataBytes, true);
  new Int16Array(file.buffer, HEADER_BYTES).set(samples);
  return file;
}
