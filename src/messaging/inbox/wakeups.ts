/**
 * Signals that something in an account may have changed: a message, an event, or an update of one. The signal carries
 * no details; listeners read the database. Calls within one iteration of the event loop are merged.
 */
export class Wakeups {
  readonly #byAccount = new Map<string, Set<() => void>>();
  readonly #due = new Set<string>();

  /** Wakes an account's listeners. Call it after the commit; before it, they find nothing. */
  wake(accountId: string): void {
    if (!this.#byAccount.has(accountId)) return;
    if (this.#due.size === 0) setImmediate(() => this.#wakeDue());
    this.#due.add(accountId);
  }

  /** Calls `listener`, which must not throw, until the returned function is called. */
  watch(accountId: string, listener: () => void): () => void {
    const listeners = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byAccount.get(accountId) === listeners)
        this.#byAccount.delete(accountId);
    };
  }

  #wakeDue(): void {
    const accountIds = [...this.#due];
    this.#due.clear();
    for (const accountId of accountIds)
      for (const listener of [...(this.#byAccount.get(accountId) ?? [])]) listener();
  }
}
