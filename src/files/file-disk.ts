import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Small chunks are written together, to avoid a write per kilobyte when a thousand slow uploads run. */
const BATCH_BYTES = 16 * 1024;
const READ_BYTES = 64 * 1024;
const INCOMING = 'incoming';
const OWNER_ONLY = 0o600;

/**
 * Stores the bytes of files by id, in folders named after the id's first two random letters. Incomplete files are in
 * `incoming/`. Writes are not synced: after a power failure a file may be missing or short, and then counts as gone.
 */
export class FileDisk {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Opens a folder, creating it if missing. Removes incomplete files of an earlier process. */
  static async open(dir: string): Promise<FileDisk> {
    await rm(join(dir, INCOMING), { recursive: true, force: true });
    await mkdir(join(dir, INCOMING), { recursive: true, mode: 0o700 });
    return new FileDisk(dir);
  }

  /** Writes a file completely or not at all. Rejects with any error of the chunks. */
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

  /** Yields the bytes from `first` to `last`, inclusive. Throws when the file does not exist. */
  async *read(id: string, first: number, last: number): AsyncGenerator<Uint8Array> {
    if (last < first) return;
    yield* createReadStream(this.#path(id), { start: first, end: last, highWaterMark: READ_BYTES });
  }

  /** Null: the file does not exist. */
  async sizeBytes(id: string): Promise<number | null> {
    try {
      return (await stat(this.#path(id))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Removes a file if it exists. Reads in progress can continue. */
  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  /** Whether a file was written at least so long ago. False when it does not exist. */
  async isOlder(id: string, minAgeMs: number): Promise<boolean> {
    return await isOlder(this.#path(id), minAgeMs);
  }

  /** Removes incomplete files that nothing has been written to for so long. */
  async removeUnfinished(minAgeMs: number): Promise<void> {
    const folder = join(this.#dir, INCOMING);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (await isOlder(path, minAgeMs)) await rm(path, { force: true });
    }
  }

  /** Yields the ids of all stored files, one folder at a time. */
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

/** Returns whether a file system error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function isOlder(path: string, minAgeMs: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs >= minAgeMs;
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
