import { FairShare, type ReleasePlace } from '../base/fair-share.ts';
import type { Clock } from '../base/time.ts';
import type { CallActor } from './call-actor.ts';
import type { CallEvent, CallIdentity } from './call-event.ts';
import { isFinal } from './call-state.ts';

/**
 * The room that a machine has for calls, shared by the accounts: one alone has at most half, two a third each, so that
 * there is always room for somebody who has none. A call has its place until its media is released.
 */
export class CallRoom {
  readonly share: FairShare;
  readonly #admit: () => string | null;
  readonly #places = new Map<string, ReleasePlace>();

  /** `admit`: why the machine carries no more calls; null: it carries another one. */
  constructor(clock: Clock, places: number, admit: () => string | null = () => null) {
    this.#admit = admit;
    this.share = new FairShare({ clock, total: places, each: places, keepsRoom: true, mostWaiting: 0 });
  }

  /**
   * Takes a place for a call. Returns false when there is none for its account. Those who call an account share a room of their
   * own, which is not what the account places calls with.
   */
  take({ callId, accountId, direction }: Pick<CallIdentity, 'callId' | 'accountId' | 'direction'>): boolean {
    const release = this.share.takeNow(direction === 'inbound' ? `callers of ${accountId}` : accountId);
    if (release === null) return false;
    if (this.#admit() !== null) {
      release();
      return false;
    }
    this.#places.set(callId, release);
    return true;
  }

  happened(call: CallActor, event: CallEvent): void {
    if (event.type === 'call_state' && isFinal(event.state)) void this.#leave(call);
  }

  async #leave(call: CallActor): Promise<void> {
    try {
      await call.leg?.released;
    } finally {
      this.#places.get(call.identity.callId)?.();
      this.#places.delete(call.identity.callId);
    }
  }
}
