import {
  compressAlaw,
  compressUlaw,
  decodeAlaw,
  decodeUlaw,
  type G711Compress,
  type G711Decode,
} from '../../audio/g711.ts';
import type { SampleFormat } from '../schema/stream.ts';
import { StreamFault } from './stream-request.ts';

/** How audio is written: mono, one sample after the other. */
export interface AudioCoding {
  readonly bytesPerSample: number;
  /** Writes 16-bit little-endian PCM into `out`, at its byte `at`. */
  write(pcm: Uint8Array, out: Uint8Array, at: number): void;
  /** Returns the samples of a message. Throws a StreamFault if it is invalid. */
  read(bytes: ArrayBuffer): Int16Array;
}

export const AUDIO_CODINGS: Readonly<Record<SampleFormat, AudioCoding>> = {
  pcm_s16le: {
    bytesPerSample: 2,
    write: (pcm, out, at) => out.set(pcm, at),
    read: pcmFromBytes,
  },
  mulaw: g711(compressUlaw, decodeUlaw),
  alaw: g711(compressAlaw, decodeAlaw),
};

/** ITU-T G.711, at any sample rate. */
function g711(compress: G711Compress, decode: G711Decode): AudioCoding {
  return {
    bytesPerSample: 1,
    write: compress,
    read(bytes) {
      const samples = new Int16Array(bytes.byteLength);
      decode(new Uint8Array(bytes), 0, bytes.byteLength, samples);
      return samples;
    },
  };
}

/** A view of a binary frame as PCM: signed 16-bit little-endian mono. Throws a StreamFault if it is invalid. */
export function pcmFromBytes(bytes: ArrayBuffer): Int16Array {
  if (bytes.byteLength % 2 !== 0) {
    throw new StreamFault(
      'invalid_audio',
      `16-bit PCM must have an even number of bytes, got ${bytes.byteLength}`,
    );
  }
  return new Int16Array(bytes);
}
