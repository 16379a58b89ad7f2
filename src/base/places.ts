import { type ErrorCode, GatewayError } from './errors.ts';

/** Whoever takes a place, by the credential and its account. */
export interface PlaceHolder {
  readonly credentialId: string;
  readonly accountId: string;
}

export interface PlaceOptions {
  /** The error of whoever finds no place. */
  readonly code: ErrorCode;
  /** What is bounded, as in "At most 100 … per key": `requests may wait`. */
  readonly what: string;
  readonly perKey: number;
  /** Fewer than in all, so that one account leaves room for others however many keys it has. */
  readonly perAccount: number;
  readonly total: number;
  /** Told of everybody who finds no place. */
  readonly onRefused?: () => void;
}

/** Counts what is open or under way, by credential, by account and in all, and says no to one too many. */
export class Places {
  readonly #options: PlaceOptions;
  readonly #taken = new Map<string, number>();
  #total = 0;
  #refused = 0;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  /** Places that are taken now. */
  get taken(): number {
    return this.#total;
  }

  /** How often there was no place, ever. */
  get refused(): number {
    return this.#refused;
  }

  /** Throws the options' error, which names the limit that is reached. */
  assertRoom({ credentialId, accountId }: PlaceHolder): void {
    const { perKey, perAccount, total } = this.#options;
    if (this.#takenBy(keyName(credentialId)) >= perKey) this.#refuse(perKey, 'per key');
    if (this.#takenBy(accountName(accountId)) >= perAccount) this.#refuse(perAccount, 'per account');
    if (this.#total >= total) this.#refuse(total, 'in the gateway');
  }

  /** Takes a place, of which there is one, until the returned function is called; it is safe to call twice. */
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

  #refuse(most: number, where: string): never {
    const { code, what, onRefused } = this.#options;
    this.#refused += 1;
    onRefused?.();
    throw new GatewayError(code, `At most ${most} ${what} ${where}`);
  }
}

function keyName(credentialId: string): string {
  return `key ${credentialId}`;
}

function accountName(accountId: string): string {
  return `account ${accountId}`;
}
