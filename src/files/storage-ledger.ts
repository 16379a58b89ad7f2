import { GatewayError } from '../base/errors.ts';

/** Maximum number of bytes on disk. */
export interface StorageLimits {
  readonly accountBytes: number;
  readonly totalBytes: number;
}

/** The account that the bytes count for. Null: cached copies of platform files, which count for no account. */
export type Owner = string | null;

/** Tracks the bytes on disk. Bytes are counted before they are written. */
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

  /** Returns how many bytes must be freed before `bytes` more fit. */
  missingFor(bytes: number): number {
    return Math.max(0, this.#totalBytes + bytes - this.#limits.totalBytes);
  }

  /** Throws `storage_full` when `bytes` more do not fit. */
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
