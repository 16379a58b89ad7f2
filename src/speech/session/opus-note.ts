import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MOST_NOTE_MS } from '../notes/note-protocol.ts';

/** Several minutes of speech, as it is written here. */
const MOST_BYTES = 4 * 1_024 * 1_024;
const DEADLINE_MS = 20_000;
const MOST_MEMORY_BYTES = 64 * 1_024 * 1_024;
const KEPT_LOG_CHARS = 300;
/** `OpusHead` is in the first page (RFC 7845, section 3). */
const HEAD_BYTES = 64;
const MP4_BRAND_AT = 4;

/** ffmpeg's readers of what apps record, by how files begin. Nothing chooses a reader by itself: some follow addresses. */
function readerOf(file: Buffer): string | null {
  const head = file.toString('latin1', 0, HEAD_BYTES);
  if (head.startsWith('OggS')) return 'ogg';
  if (head.startsWith('RIFF')) return 'wav';
  if (head.startsWith('\x1aE\xdf\xa3')) return 'matroska';
  if (head.startsWith('ftyp', MP4_BRAND_AT)) return 'mov';
  if (head.startsWith('#!AMR')) return 'amr';
  if (/^\xff[\xf0\xf1\xf8\xf9]/.test(head)) return 'aac';
  return /^(?:ID3|\xff[\xe0-\xff])/.test(head) ? 'mp3' : null;
}

/**
 * Returns a voice note as Opus in Ogg: as it is, or converted by ffmpeg, which is a program of the system's. Rejects when that
 * is not there, or cannot read the file.
 */
export async function opusNote(audio: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const file = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
  if (file.subarray(0, HEAD_BYTES).includes('OpusHead')) return audio;
  const reader = readerOf(file);
  if (reader === null) throw new Error('the voice note is in no known format');
  const folder = await mkdtemp(join(tmpdir(), 'svc-note-'));
  try {
    // An MP4 file is read from its end.
    const path = join(folder, 'note');
    await writeFile(path, file);
    return await converted(path, reader, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function converted(path: string, reader: string, signal: AbortSignal): Promise<Uint8Array> {
  const common = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', `${MOST_MEMORY_BYTES}`];
  const from = ['-protocol_whitelist', 'file', '-threads', '1', '-f', reader, '-i', path];
  const sound = ['-vn', '-sn', '-dn', '-map_metadata', '-1', '-t', `${MOST_NOTE_MS / 1_000}`];
  const to = ['-ar', '16000', '-ac', '1', '-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg', 'pipe:1'];
  const limits = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    killSignal: 'SIGKILL',
  } as const;
  // It needs none of the gateway's secrets.
  const child = spawn('ffmpeg', [...common, ...from, ...sound, ...to], {
    ...limits,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = `${log}${chunk}`.slice(-KEPT_LOG_CHARS);
  });
  child.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ENOENT' ? new Error('ffmpeg, which reads this voice note, is not installed') : error,
    ),
  );
  child.once('close', (code) => {
    if (code === 0) resolve();
    else reject(new Error(`ffmpeg cannot read the voice note: ${log.trim()}`));
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) child.kill('SIGKILL');
  });
  await promise;
  return Buffer.concat(chunks);
}
