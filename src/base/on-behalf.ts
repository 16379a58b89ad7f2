import { AsyncLocalStorage } from 'node:async_hooks';

const owners = new AsyncLocalStorage<string>();

/** Does work, and all that it starts, on behalf of an account, or of strangers in a network. */
export function onBehalfOf<Result>(owner: string, work: () => Result): Result {
  return owners.run(owner, work);
}

/** On whose behalf this runs: an account's id, or the network of a stranger. Undefined: the gateway's own work. */
export function servedOwner(): string | undefined {
  return owners.getStore();
}
