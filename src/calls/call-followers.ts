import type { CallIdentity } from './call.ts';
import type { CallEvent } from './call-event.ts';
import { isFinal, isFirst } from './call-state.ts';

/** A change of a call: it began, a line was transcribed, or it ended. */
export type CallNews = 'began' | 'transcribed' | 'over';

/** Receives changes of an account's calls. Must not throw. */
export type CallListener = (call: CallIdentity, news: CallNews) => void;

/** Listeners to all calls of an account that take part in none. */
export class CallFollowers {
  readonly #byAccount = new Map<string, Set<CallListener>>();

  /** Calls `listener` until the returned function is called. */
  follow(accountId: string, listener: CallListener): () => void {
    const listeners = this.#byAccount.get(accountId) ?? new Set();
    // A new function each time, so that the same listener can be added twice.
    const entry: CallListener = (call, news) => listener(call, news);
    this.#byAccount.set(accountId, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#byAccount.get(accountId) === listeners)
        this.#byAccount.delete(accountId);
    };
  }

  happened({ identity }: { readonly identity: CallIdentity }, event: CallEvent): void {
    const news = newsOf(event);
    if (news === null) return;
    for (const listener of [...(this.#byAccount.get(identity.accountId) ?? [])]) listener(identity, news);
  }
}

function newsOf(event: CallEvent): CallNews | null {
  if (event.type === 'call_transcript') return 'transcribed';
  if (event.type !== 'call_state') return null;
  if (isFirst(event.state)) return 'began';
  return isFinal(event.state) ? 'over' : null;
}
