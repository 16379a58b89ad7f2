import { readFileSync, writeFileSync } from 'node:fs';

/** 16-bit PCM; `channels` holds one array a channel, all of one length. */
export interface Wav {
  readonly sampleRateHz: number;
  readonly channels: readonly Int16Array[];
}

const HEADER_BYTES = 44;
const FORMAT_PCM = 1;
const FORMAT_EXTENSIBLE = 0xfffe;

/** Reads a 16-bit WAV; a data chunk whose size was never filled in (its writer was killed) reaches to the end. */
export function readWav(path: string): Wav {
  const file = readFileSync(path);
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error(`${path} is not a WAV file`);
  }
  let format: { channelCount: number; sampleRateHz: number } | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const id = file.toString('latin1', at, at + 4);
    const stated = file.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === 'fmt ') format = readFormat(file.subarray(body), path);
    if (id === 'data') {
      if (format === null) throw new Error(`${path} has data before its format`);
      const end = stated === 0 ? file.length : Math.min(body + stated, file.length);
      return {
        sampleRateHz: format.sampleRateHz,
        channels: split(file.subarray(body, end), format.channelCount),
      };
    }
    at = body + stated + (stated % 2);
  }
  throw new Error(`${path} has no data`);
}

/** The samples of a file that must be mono. */
export function readMonoWav(path: string): { sampleRateHz: number; samples: Int16Array } {
  const { sampleRateHz, channels } = readWav(path);
  const [samples, second] = channels;
  if (samples === undefined || second !== undefined) throw new Error(`${path} is not mono`);
  return { sampleRateHz, samples };
}

export function writeWav(path: string, wav: Wav): void {
  writeFileSync(path, wavFile(wav));
}

export function wavFile({ sampleRateHz, channels }: Wav): Buffer<ArrayBuffer> {
  const lengthSamples = channels[0]?.length ?? 0;
  const blockBytes = channels.length * 2;
  const file = Buffer.alloc(HEADER_BYTES + lengthSamples * blockBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(FORMAT_PCM, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(sampleRateHz * blockBytes, 28);
  file.writeUInt16LE(blockBytes, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(lengthSamples * blockBytes, 40);
  channels.forEach((samples, channel) => {
    for (let i = 0; i < lengthSamples; i++) {
      file.writeInt16LE(samples[i] as number, HEADER_BYTES + i * blockBytes + channel * 2);
    }
  });
  return file;
}

function readFormat(chunk: Buffer, path: string): { channelCount: number; sampleRateHz: number } {
  const tag = chunk.readUInt16LE(0);
  const bits = chunk.readUInt16LE(14);
  if ((tag !== FORMAT_PCM && tag !== FORMAT_EXTENSIBLE) || bits !== 16) {
    throw new Error(`${path} is not 16-bit PCM (format ${tag}, ${bits} bits)`);
  }
  return { channelCount: chunk.readUInt16LE(2), sampleRateHz: chunk.readUInt32LE(4) };
}

function split(data: Buffer, channelCount: number): Int16Array[] {
  const lengthSamples = Math.floor(data.length / (2 * channelCount));
  return Array.from({ length: channelCount }, (_, channel) => {
    const samples = new Int16Array(lengthSamples);
    for (let i = 0; i < lengthSamples; i++) samples[i] = data.readInt16LE((i * channelCount + channel) * 2);
    return samples;
  });
}
