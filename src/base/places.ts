import { type ErrorCode, GatewayError } from './errors.ts';

/** Holder of a slot: a credential and its account. */
export interface PlaceHolder {
  readonly credentialId: string;
  readonly accountId: string;
}

export interface PlaceOptions {
  /** Error code when no slot is free. */
  readonly code: ErrorCode;
  /** Noun phrase for the error text "At most 100 … per key", for example `requests may wait`. */
  readonly what: string;
  readonly perKey: number;
  /** Lower than `total`, so that one account leaves room for others, however many keys it has. */
  readonly perAccount: number;
  readonly total: number;
  /** Called for each refusal. */
  readonly onRefused?: () => void;
}

/**
 * Limits concurrent use per credential, per account and in total. Nobody takes the last places of all: where several accounts
 * have many, each may hold as many as are left over.
 */
export class Places {
  readonly #options: PlaceOptions;
  readonly #taken = new Map<string, number>();
  #total = 0;
  #refused = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** Number of slots in use. */
  get taken(): number {
    return this.#total;
  }

  /** Number of refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Throws the configured error, with the limit reached, when no slot is free. */
  assertRoom(holder: PlaceHolder): void {
    const reached = this.#reachedBy(holder);
    if (reached === null) return;
    this.#noteRefusal();
    const { code, what } = this.#options;
    throw new GatewayError(code, `At most ${reached.most} ${what} ${reached.where}`);
  }

  /** Whether a slot is free. If none is, this counts as a refusal. */
  hasRoom(holder: PlaceHolder): boolean {
    const isFree = this.#reachedBy(holder) === null;
    if (!isFree) this.#noteRefusal();
    return isFree;
  }

  /** Takes a slot without checking the limits. Returns a function that frees it, which is safe to call twice. */
  take({ credentialId, accountId }: PlaceHolder): () => void {
    const names = [keyName(credentialId), accountName(accountId)];
    for (const name of names) this.#taken.set(name, this.#takenBy(name) + 1);
    this.#total += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total -= 1;
      for (const name of names) this.#giveBack(name);
    };
  }

  #takenBy(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  #giveBack(name: string): void {
    const left = this.#takenBy(name) - 1;
    if (left > 0) this.#taken.set(name, left);
    else this.#taken.delete(name);
  }

  /** Returns the limit that the holder has reached; null: none. */
  #reachedBy({ credentialId, accountId }: PlaceHolder): { most: number; where: string } | null {
    const { perKey, perAccount, total } = this.#options;
    if (this.#takenBy(keyName(credentialId)) >= perKey) return { most: perKey, where: 'per key' };
    if (this.#takenBy(accountName(accountId)) >= perAccount)
      return { most: perAccount, where: 'per account' };
    const free = total - this.#total;
    const isLeft = free > 0 && (perAccount >= total || this.#takenBy(accountName(accountId)) <= free);
    return isLeft ? null : { most: total, where: 'in the gateway' };
  }

  #noteRefusal(): void {
    this.#refused += 1;
    this.#options.onRefused?.();
  }
}

function keyName(credentialId: string): string {
  return `key ${credentialId}`;
}

function accountName(accountId: string): string {
  return `account ${accountId}`;
}
