import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<string>();

/** Does work, and all that it starts, on behalf of an account. */
export function onBehalfOf<Result>(accountId: string, work: () => Result): Result {
  return accounts.run(accountId, work);
}

/** On whose behalf this runs: an account's id. Undefined: the gateway's own work, or a stranger's. */
export function servedAccount(): string | undefined {
  return accounts.getStore();
}
