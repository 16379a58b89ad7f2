import { describe, expect, it } from 'vitest';
import { opusNote } from '../../src/speech/session/opus-note.ts';
import { requirePeer } from '../support/require-peer.ts';
import { voiceNote } from '../support/voice-note.ts';

const NEVER = new AbortController().signal;

describe.skipIf(requirePeer('ffmpeg'))('a voice note that a stranger has made', () => {
  it.each([
    ['a list of other files', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n', /no known format/],
    ['a script for ffmpeg', "ffconcat version 1.0\nfile '/etc/passwd'\n", /no known format/],
    ['half an MP4 file', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom', /ffmpeg cannot read/],
    ['a WAV file without sound', 'RIFF\xff\xff\xff\x7fWAVEfmt ', /ffmpeg cannot read/],
    ['nothing', '', /no known format/],
  ])('is refused if it is %s', async (_what, bytes, words) => {
    await expect(opusNote(Buffer.from(bytes, 'latin1'), NEVER)).rejects.toThrow(words);
  });

  it('is given up when the gateway closes', async () => {
    const { bytes } = voiceNote('alpha', 'audio/wav');
    await expect(opusNote(bytes, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });

  it('says what is missing where there is no ffmpeg', async () => {
    const { PATH } = process.env;
    const { bytes } = voiceNote('alpha', 'audio/wav');
    process.env.PATH = '/nowhere';
    try {
      await expect(opusNote(bytes, NEVER)).rejects.toThrow(
        'ffmpeg, which reads this voice note, is not installed',
      );
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('is cut off after 100 s', async () => {
    const words = Array.from({ length: 150 }, () => 'hotel').join(' ');
    const note = await opusNote(voiceNote(words, 'audio/wav').bytes, NEVER);
    const last = Buffer.from(note).lastIndexOf('OggS');
    // The position of the last page, in samples at 48 kHz.
    expect(Number(Buffer.from(note).readBigInt64LE(last + 6)) / 48_000).toBeLessThan(101);
  });
});
