import { randomBytes } from 'node:crypto';
import { newId } from '../slack-ids.ts';
import type { FakeUser } from '../world/fake-user.ts';

export interface UploadSlot {
  readonly fileId: string;
  readonly owner: FakeUser;
  readonly name: string;
  readonly lengthBytes: number;
  bytes: Buffer | null;
}

/** Files between `files.getUploadURLExternal` and `files.completeUploadExternal`. */
export class UploadSlots {
  readonly #byKey = new Map<string, UploadSlot>();
  readonly #root: () => string;

  constructor(root: () => string) {
    this.#root = root;
  }

  get root(): string {
    return this.#root();
  }

  open(
    owner: FakeUser,
    name: string,
    lengthBytes: number,
  ): { readonly url: string; readonly fileId: string } {
    const key = randomBytes(24).toString('base64url');
    const slot = { fileId: newId('F'), owner, name, lengthBytes, bytes: null };
    this.#byKey.set(key, slot);
    return { url: `${this.#root()}/upload/v1/${key}`, fileId: slot.fileId };
  }

  at(key: string): UploadSlot | undefined {
    return this.#byKey.get(key);
  }

  /** Takes an uploaded file of this owner; undefined: there is none, or its bytes have not come. */
  take(owner: FakeUser, fileId: string): UploadSlot | undefined {
    for (const [key, slot] of this.#byKey) {
      if (slot.fileId !== fileId || slot.owner !== owner || slot.bytes === null) continue;
      this.#byKey.delete(key);
      return slot;
    }
    return undefined;
  }
}
