import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toneSpeech } from '../fakes/tone-speech.ts';

const RATE_HZ = 48_000;

/** How apps record: options of ffmpeg. */
const KINDS = {
  'audio/ogg': ['-c:a', 'libopus', '-b:a', '24k', '-f', 'ogg'],
  'audio/mp4': ['-c:a', 'aac', '-b:a', '64k', '-f', 'mp4'],
  'audio/wav': ['-c:a', 'pcm_s16le', '-f', 'wav'],
  'audio/mpeg': ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'],
  'audio/webm': ['-c:a', 'libopus', '-b:a', '24k', '-f', 'webm'],
} as const;

/** A voice note as apps record them, with words that fakes of vendors understand, by ffmpeg. */
export function voiceNote(
  words: string,
  mime: keyof typeof KINDS = 'audio/ogg',
): { readonly name: string; readonly mime: string; readonly bytes: Buffer } {
  const pcm = toneSpeech(words, { encoding: 's16le', sampleRateHz: RATE_HZ });
  const from = ['-f', 's16le', '-ar', `${RATE_HZ}`, '-ac', '1', '-i', 'pipe:0'];
  const folder = mkdtempSync(join(tmpdir(), 'note-'));
  const path = join(folder, 'note');
  execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...from, ...KINDS[mime], path], {
    input: pcm,
  });
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return { name: `voice.${mime.slice('audio/'.length)}`, mime, bytes };
}
