import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { song } from './song.ts';

/** Writes the song to a file for generators, and deletes it at the end. */
export async function withSongFile<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'song-'));
  try {
    const file = join(folder, 'song');
    writeFileSync(file, song());
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
