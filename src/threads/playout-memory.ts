/** What every queue may hold by right: speech that is sent as it is spoken needs no more, however full it is elsewhere. */
const OWN_BYTES = 32 * 1024;

export interface PlayoutMemoryOptions {
  readonly totalBytes: number;
  /** Less than in all, so that one account leaves room for others. */
  readonly accountBytes: number;
  /** Told of all audio that found no room. */
  readonly onFull: () => void;
}

/** Memory for audio that waits to be played: bounded for each account and for all queues together. */
export class PlayoutMemory {
  readonly #options: PlayoutMemoryOptions;
  readonly #byAccount = new Map<string, number>();
  #takenBytes = 0;

  constructor(options: PlayoutMemoryOptions) {
    this.#options = options;
  }

  /** Bytes that all queues hold beyond their own. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** The memory of one more queue. */
  queueOf(accountId: string): QueueMemory {
    return new QueueMemory((bytes) => this.#grow(accountId, bytes));
  }

  /** False: there is no room for so much. A negative number gives back. */
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

/** What one queue holds. */
export class QueueMemory {
  readonly #grow: (sharedBytes: number) => boolean;
  #bytes = 0;

  constructor(grow: (sharedBytes: number) => boolean) {
    this.#grow = grow;
  }

  /** False: there is no room for so much more. */
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
