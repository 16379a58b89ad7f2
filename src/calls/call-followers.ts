import type { CallIdentity } from './call.ts';

/** What happens to a call: it is there, something was said on it, it is gone. */
export type CallNews = 'began' | 'transcribed' | 'over';

/** Hears of the calls of an account; must not throw. */
export type CallListener = (call: CallIdentity, news: CallNews) => void;

/** Those who follow all calls of an account and take part in none. */
export class CallFollowers {
  readonly #byAccount = new Map<string, Set<CallListener>>();

  /** Calls `listener` until the returned function is called. */
  follow(accountId: string, listener: CallListener): () => void {
    const listeners = this.#byAccount.get(accountId) ?? new Set();
    // One of its own for each call, so that the same listener may follow twice.
    const entry: CallListener = (call, news) => listener(call, news);
    this.#byAccount.set(accountId, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#byAccount.get(accountId) === listeners)
        this.#byAccount.delete(accountId);
    };
  }

  tell(call: CallIdentity, news: CallNews): void {
    for (const listener of [...(this.#byAccount.get(call.accountId) ?? [])]) listener(call, news);
  }
}
