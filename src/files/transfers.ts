import { GatewayError } from '../base/errors.ts';
import { FairShare, type ShareReading } from '../base/fair-share.ts';
import type { Clock } from '../base/time.ts';

/** Maximum number of concurrent incoming files, which owners share. Each needs a file descriptor and some memory. */
export interface TransferLimits {
  readonly perOwner: number;
  readonly total: number;
}

/** A transfer under way. */
interface Transfer {
  readonly controller: AbortController;
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<void>;
}

/** The concurrent incoming files: limited per owner and in total, and ended when their owner leaves. */
export class Transfers {
  readonly #places: FairShare;
  readonly #running = new Map<string, Set<Transfer>>();
  /** Owners that are being deleted. */
  readonly #leaving = new Set<string>();

  constructor(clock: Clock, { perOwner: each, total }: TransferLimits) {
    this.#places = new FairShare({ clock, total, each, keepsRoom: true, mostWaiting: 0 });
  }

  /** For metrics. */
  get share(): ShareReading {
    return this.#places;
  }

  /**
   * Runs `work` as a transfer, which has to end when its signal aborts. Throws `too_many_transfers` when the limit is
   * reached, and `unauthorized` when the owner leaves.
   */
  async during<T>(owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#leaving.has(owner)) throw new GatewayError('unauthorized');
    const leave = this.#places.takeNow(owner);
    if (leave === null) throw new GatewayError('too_many_transfers');
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const transfer = { controller: new AbortController(), ended };
    const siblings = this.#running.get(owner) ?? new Set();
    this.#running.set(owner, siblings.add(transfer));
    try {
      return await work(transfer.controller.signal);
    } finally {
      leave();
      resolve();
      siblings.delete(transfer);
      if (siblings.size === 0) this.#running.delete(owner);
    }
  }

  /** Ends the transfers of an owner, and takes no more until `readmit`. Resolves when all have ended. */
  async turnAway(owner: string): Promise<void> {
    this.#leaving.add(owner);
    const running = [...(this.#running.get(owner) ?? [])];
    for (const { controller } of running) controller.abort(new GatewayError('unauthorized'));
    await Promise.all(running.map(({ ended }) => ended));
  }

  readmit(owner: string): void {
    this.#leaving.delete(owner);
  }
}
