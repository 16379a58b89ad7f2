import { execFileSync } from 'node:child_process';
import { toneSpeech } from '../fakes/tone-speech.ts';

const RATE_HZ = 48_000;

/** A voice note as apps record them, with words that fakes of vendors understand: Opus in Ogg, by ffmpeg. */
export function voiceNote(words: string): {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
} {
  const pcm = toneSpeech(words, { encoding: 's16le', sampleRateHz: RATE_HZ });
  const from = ['-f', 's16le', '-ar', `${RATE_HZ}`, '-ac', '1', '-i', 'pipe:0'];
  const to = ['-c:a', 'libopus', '-b:a', '24k', '-f', 'ogg', 'pipe:1'];
  const bytes = execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...from, ...to], {
    input: pcm,
  });
  return { name: 'voice.ogg', mime: 'audio/ogg', bytes };
}
