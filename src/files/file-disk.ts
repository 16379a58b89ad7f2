import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Small pieces are written together: a thousand slow uploads must not mean a thousand writes for every kilobyte each. */
const BATCH_BYTES = 16 * 1024;
const READ_BYTES = 64 * 1024;
const INCOMING = 'incoming';
const OWNER_ONLY = 0o600;

/**
 * The bytes of files, each under its id, in folders by the id's first two random letters. What is not complete lies in
 * `incoming/`. It is not forced to disk: after a power cut a file may be missing or short, and is then gone.
 */
export class FileDisk {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Opens a folder, made when missing; what an earlier process left unfinished is removed. */
  static async open(dir: string): Promise<FileDisk> {
    await rm(join(dir, INCOMING), { recursive: true, force: true });
    await mkdir(join(dir, INCOMING), { recursive: true, mode: 0o700 });
    return new FileDisk(dir);
  }

  /** Writes a file that is there as a whole or not at all; rejects with whatever the chunks throw. */
  async write(id: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const incoming = join(this.#dir, INCOMING, id);
    try {
      await writeFile(incoming, inBatches(chunks), { flag: 'wx', mode: OWNER_ONLY });
      const path = this.#path(id);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(incoming, path);
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
  }

  /** The bytes from `first` to `last`, both included. Throws when the file is not there. */
  async *read(id: string, first: number, last: number): AsyncGenerator<Uint8Array> {
    if (last < first) return;
    yield* createReadStream(this.#path(id), { start: first, end: last, highWaterMark: READ_BYTES });
  }

  /** Null: it is not there. */
  async sizeBytes(id: string): Promise<number | null> {
    try {
      return (await stat(this.#path(id))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Whoever is reading it may read on. Safe for what is not there. */
  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** The ids of all that lies here, a folder at a time. */
  async *ids(): AsyncGenerator<readonly string[]> {
    const folders = await readdir(this.#dir);
    for (const folder of folders) {
      const ids = folder === INCOMING ? [] : await readdir(join(this.#dir, folder));
      if (ids.length > 0) yield ids;
    }
  }

  #path(id: string): string {
    return join(this.#dir, id.slice(2, 4), id);
  }
}

/** Whether an error of the file system says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function* inBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  for await (const chunk of chunks) {
    batch.push(chunk);
    batchBytes += chunk.byteLength;
    if (batchBytes < BATCH_BYTES) continue;
    yield joined(batch);
    batch = [];
    batchBytes = 0;
  }
  if (batchBytes > 0) yield joined(batch);
}

function joined(batch: readonly Uint8Array[]): Uint8Array {
  return batch.length === 1 ? batch[0]! : Buffer.concat(batch);
}
