/** Bytes that every queue may hold unconditionally. Real-time speech needs no more, even when shared memory is full. */
const OWN_BYTES = 32 * 1024;

export interface PlayoutBudgetOptions {
  readonly totalBytes: number;
  /** Limit per account, below the total so that one account leaves room for others. */
  readonly accountBytes: number;
  /** Called whenever audio is refused for lack of memory. */
  readonly onFull: () => void;
}

/** Budget of memory for audio waiting to be played, per account and in total. */
export class PlayoutBudget {
  readonly #options: PlayoutBudgetOptions;
  readonly #byAccount = new Map<string, number>();
  #takenBytes = 0;

  constructor(options: PlayoutBudgetOptions) {
    this.#options = options;
  }

  /** Bytes that all queues hold beyond their unconditional share. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Creates the budget of one queue of the account. */
  queueOf(accountId: string): QueueBudget {
    return new QueueBudget((bytes) => this.#grow(accountId, bytes));
  }

  /** Takes shared memory; a negative number returns it. Returns false when there is no room. */
  #grow(accountId: string, bytes: number): boolean {
    const { totalBytes, accountBytes, onFull } = this.#options;
    const total = this.#takenBytes + bytes;
    const ofAccount = (this.#byAccount.get(accountId) ?? 0) + bytes;
    if (bytes > 0 && (total > totalBytes || ofAccount > accountBytes)) {
      onFull();
      return false;
    }
    this.#takenBytes = total;
    if (ofAccount > 0) this.#byAccount.set(accountId, ofAccount);
    else this.#byAccount.delete(accountId);
    return true;
  }
}

/** Budget of one queue, and the bytes that it holds. */
export class QueueBudget {
  readonly #grow: (sharedBytes: number) => boolean;
  #bytes = 0;

  constructor(grow: (sharedBytes: number) => boolean) {
    this.#grow = grow;
  }

  /** Takes memory. Returns false when there is no room. */
  take(bytes: number): boolean {
    return this.#resize(this.#bytes + bytes);
  }

  give(bytes: number): void {
    this.#resize(this.#bytes - bytes);
  }

  #resize(bytes: number): boolean {
    const shared = sharedPart(bytes) - sharedPart(this.#bytes);
    if (shared !== 0 && !this.#grow(shared)) return false;
    this.#bytes = bytes;
    return true;
  }
}

function sharedPart(bytes: number): number {
  return Math.max(0, bytes - OWN_BYTES);
}
