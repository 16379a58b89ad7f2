import { randomBytes } from 'node:crypto';
import type { FormFile } from '../multipart-form.ts';
import { badRequest } from './api-error.ts';

/** Specification of `getFile`. */
const MAX_DOWNLOAD_BYTES = 20_000_000;

/** A file as messages show it, in the words of the API. */
export interface FileFacts {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size: number;
}

interface Kept {
  readonly file: FormFile;
  readonly path: string;
}

/** The files of one bot; ids mean nothing to another one. */
export class StoredFiles {
  readonly #byId = new Map<string, Kept>();

  keep(file: FormFile): FileFacts {
    const id = randomBytes(24).toString('base64url');
    this.#byId.set(id, { file, path: `files/file_${this.#byId.size}` });
    return { file_id: id, file_unique_id: id.slice(0, 12), file_size: file.bytes.length };
  }

  /** What `getFile` answers. */
  prepare(fileId: string): FileFacts & { readonly file_path: string } {
    const kept = this.#byId.get(fileId);
    if (!kept) throw badRequest('wrong file_id or the file is temporarily unavailable');
    const { length } = kept.file.bytes;
    if (length > MAX_DOWNLOAD_BYTES) throw badRequest('file is too big');
    const file = { file_id: fileId, file_unique_id: fileId.slice(0, 12), file_size: length };
    return { ...file, file_path: kept.path };
  }

  at(path: string): Buffer | undefined {
    return [...this.#byId.values()].find((kept) => kept.path === path)?.file.bytes;
  }

  /** Removes the file from Telegram. */
  forget(fileId: string): void {
    this.#byId.delete(fileId);
  }
}
