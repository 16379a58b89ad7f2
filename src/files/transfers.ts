import { GatewayError } from '../base/errors.ts';
import { Places } from '../base/places.ts';

/** Maximum number of concurrent incoming files. Each needs a file descriptor and some memory. */
export interface TransferLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** Limits concurrent incoming files, per owner and in total. */
export class Transfers {
  readonly #places: Places;

  constructor({ perOwner, total }: TransferLimits) {
    const limits = { perKey: perOwner, perAccount: perOwner, total };
    this.#places = new Places({ code: 'too_many_transfers', what: 'transfers may run', ...limits });
  }

  /** Runs `work` as a transfer. Throws `too_many_transfers` when the limit is reached. */
  async during<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const holder = { credentialId: owner, accountId: owner };
    if (!this.#places.hasRoom(holder)) throw new GatewayError('too_many_transfers');
    const leave = this.#places.take(holder);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
