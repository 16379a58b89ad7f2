import { GatewayError } from '../base/errors.ts';

/** How many files may come in at once; each keeps a descriptor and some memory. */
export interface TransferLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** Counts the files that are coming in, of each account or of whatever else they come from. */
export class Transfers {
  readonly #limits: TransferLimits;
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Does a piece of work as one of them. Throws `too_many_transfers` when there are as many as may be. */
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
