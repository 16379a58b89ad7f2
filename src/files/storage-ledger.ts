import { GatewayError } from '../base/errors.ts';

/** How much may lie on disk, in bytes. */
export interface StorageLimits {
  readonly accountBytes: number;
  readonly totalBytes: number;
}

/** Whose bytes they are; null: copies of what platforms have, which count for nobody. */
export type Owner = string | null;

/** How much lies on disk, counted before it is written. */
export class StorageLedger {
  readonly #limits: StorageLimits;
  readonly #byAccount = new Map<string, number>();
  #totalBytes = 0;

  constructor(limits: StorageLimits, stored: Iterable<{ accountId: Owner; bytes: number }>) {
    this.#limits = limits;
    for (const { accountId, bytes } of stored) this.#add(accountId, bytes);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** How many bytes are too many for so many more to have room. */
  missingFor(bytes: number): number {
    return Math.max(0, this.#totalBytes + bytes - this.#limits.totalBytes);
  }

  /** Throws `storage_full` when so many more would be too many. */
  take(owner: Owner, bytes: number): void {
    const isOver = owner !== null && (this.#byAccount.get(owner) ?? 0) + bytes > this.#limits.accountBytes;
    if (isOver || this.missingFor(bytes) > 0) throw new GatewayError('storage_full');
    this.#add(owner, bytes);
  }

  give(owner: Owner, bytes: number): void {
    this.#add(owner, -bytes);
  }

  #add(owner: Owner, bytes: number): void {
    this.#totalBytes += bytes;
    if (owner === null) return;
    const left = (this.#byAccount.get(owner) ?? 0) + bytes;
    if (left > 0) this.#byAccount.set(owner, left);
    else this.#byAccount.delete(owner);
  }
}
