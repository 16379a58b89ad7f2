import type { RpcId } from './rpc-message.ts';

/** Pending calls by caller and request id, so that a `notifications/cancelled` in another HTTP request finds them. */
export class Cancellations {
  readonly #underWay = new Map<string, Set<CallSignal>>();

  /** Adds a call until the returned function is called. `owner`: the session, or the credential outside sessions. */
  add(owner: string, id: RpcId, call: CallSignal): () => void {
    const key = keyOf(owner, id);
    const calls = this.#underWay.get(key) ?? new Set();
    this.#underWay.set(key, calls.add(call));
    return () => {
      calls.delete(call);
      if (calls.size === 0) this.#underWay.delete(key);
    };
  }

  /**
   * Cancels a call. Outside sessions several clients may share a credential and number their requests alike: if an id is
   * ambiguous, nothing is cancelled.
   */
  cancel(owner: string, id: RpcId): void {
    const [call, ...others] = this.#underWay.get(keyOf(owner, id)) ?? [];
    if (others.length === 0) call?.cancel();
  }
}

/** 1 and '1' are different ids. */
function keyOf(owner: string, id: RpcId): string {
  return `${owner} ${JSON.stringify(id)}`;
}

/** The abort signal of one call, created on demand, because most calls end before they could be cancelled. */
export class CallSignal {
  readonly #connection: () => AbortSignal;
  readonly #leave: () => void;
  #isCancelled = false;
  #controller: AbortController | null = null;
  #forget: () => void = () => {};

  /** Adds the call to the list. `connection`: also aborts the call. */
  constructor(list: Cancellations, owner: string, id: RpcId, connection: () => AbortSignal) {
    this.#connection = connection;
    this.#leave = list.add(owner, id, this);
  }

  /** Whether the client no longer wants an answer. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#listen();
    return this.#controller.signal;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort();
  }

  /** Removes the call when it has ended. */
  end(): void {
    this.#leave();
    this.#forget();
  }

  #listen(): AbortController {
    const controller = new AbortController();
    const connection = this.#connection();
    const abort = (): void => controller.abort();
    if (this.#isCancelled || connection.aborted) abort();
    else connection.addEventListener('abort', abort, { once: true });
    this.#forget = () => connection.removeEventListener('abort', abort);
    return controller;
  }
}
