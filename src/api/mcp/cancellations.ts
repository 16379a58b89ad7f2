import type { RpcId } from './rpc-message.ts';

/**
 * Calls that wait, by who made them and by the ids of their requests, so that clients can cancel them: a notification
 * comes in a request of its own.
 */
export class Cancellations {
  readonly #waiting = new Map<string, Set<AbortController>>();

  /** Lists a call until the returned function is called. `owner`: a session, or a credential where there is none. */
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
   * Cancels a call. Clients without a session that share a credential count their requests each from the same number:
   * where several wait by the same id, nobody knows whose is meant, and all go on.
   */
  cancel(owner: string, id: RpcId): void {
    const [call, ...others] = this.#waiting.get(keyOf(owner, id)) ?? [];
    if (others.length === 0) call?.abort();
  }
}

/** 1 and '1' are two ids. */
function keyOf(owner: string, id: RpcId): string {
  return `${owner} ${JSON.stringify(id)}`;
}

/** The signal of one call, made when somebody asks for it: most calls end before anybody could cancel them. */
export class CallSignal {
  readonly #list: Cancellations;
  readonly #owner: string;
  readonly #id: RpcId;
  readonly #connection: () => AbortSignal;
  #controller: AbortController | null = null;
  #leave: () => void = () => {};

  /** `connection`: a signal that aborts the call as well. */
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

  /** The call is over. */
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
