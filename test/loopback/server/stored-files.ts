import { randomUUID } from 'node:crypto';
import { notFound } from './vendor-error.ts';

/** A file as messages show it. */
export interface FileFacts {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

export interface StoredFile {
  readonly facts: FileFacts;
  readonly bytes: Buffer;
}

/** The files of all messages. */
export class StoredFiles {
  readonly #byId = new Map<string, StoredFile>();

  keep(name: string, mime: string, bytes: Buffer): FileFacts {
    const facts = { id: randomUUID(), name, mime, size: bytes.length };
    this.#byId.set(facts.id, { facts, bytes });
    return facts;
  }

  /** Throws VendorError when there is none. */
  get(id: string): StoredFile {
    const file = this.#byId.get(id);
    if (file === undefined) throw notFound('file');
    return file;
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }
}
