import { GatewayError } from '../base/errors.ts';

/** Maximum number of concurrent incoming files. Each needs a file descriptor and some memory. */
export interface TransferLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** Limits concurrent incoming files, per owner and in total. */
export class Transfers {
  readonly #limits: TransferLimits;
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Runs `work` as a transfer. Throws `too_many_transfers` when the limit is reached. */
  async during<T>(owner: string, work: () => Promise<T>): Promise<T> {
    this.#begin(owner);
    try {
      return await work();
    } finally {
      this.#end(owner);
    }
  }

  #begin(owner: string): void {
    const own = this.#byOwner.get(owner) ?? 0;
    if (own >= this.#limits.perOwner || this.#total >= this.#limits.total) {
      throw new GatewayError('too_many_transfers');
    }
    this.#byOwner.set(owner, own + 1);
    this.#total += 1;
  }

  #end(owner: string): void {
    const left = this.#byOwner.get(owner)! - 1;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
    this.#total -= 1;
  }
}
