import type { RpcId } from './rpc-message.ts';

/** Pending calls by caller and request id, so that a `notifications/cancelled` in another HTTP request finds them. */
export class Cancellations {
  readonly #waiting = new Map<string, Set<AbortController>>();

  /** Adds a call until the returned function is called. `owner`: the session, or the credential outside sessions. */
  add(owner: string, id: RpcId, call: AbortController): () => void {
    const key = keyOf(owner, id);
    const calls = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, calls.add(call));
    return () => {
      calls.delete(call);
      if (calls.size === 0) this.#waiting.delete(key);
    };
  }

  /**
   * Cancels a call. Outside sessions several clients may share a credential and number their requests alike: if an id is
   * ambiguous, nothing is cancelled.
   */
  cancel(owner: string, id: RpcId): void {
    const [call, ...others] = this.#waiting.get(keyOf(owner, id)) ?? [];
    if (others.length === 0) call?.abort();
  }
}

/** 1 and '1' are different ids. */
function keyOf(owner: string, id: RpcId): string {
  return `${owner} ${JSON.stringify(id)}`;
}

/** The abort signal of one call, created on demand: most calls end before anybody could cancel them. */
export class CallSignal {
  readonly #list: Cancellations;
  readonly #owner: string;
  readonly #id: RpcId;
  readonly #connection: () => AbortSignal;
  #controller: AbortController | null = null;
  #leave: () => void = () => {};

  /** `connection`: also aborts the call. */
  constructor(list: Cancellations, owner: string, id: RpcId, connection: () => AbortSignal) {
    this.#list = list;
    this.#owner = owner;
    this.#id = id;
    this.#connection = connection;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) this.#listen();
    return this.#controller!.signal;
  }

  /** To be called when the call has ended. */
  end(): void {
    this.#leave();
  }

  #listen(): void {
    const controller = new AbortController();
    const connection = this.#connection();
    const abort = (): void => controller.abort();
    const leave = this.#list.add(this.#owner, this.#id, controller);
    if (connection.aborted) abort();
    else connection.addEventListener('abort', abort, { once: true });
    this.#leave = () => {
      leave();
      connection.removeEventListener('abort', abort);
    };
    this.#controller = controller;
  }
}
