import type { RpcId } from './rpc-message.ts';

/** Calls under way, by who made them and by the ids of their requests, so that clients can cancel them: a notification comes in a request of its own. */
export class Cancellations {
  readonly #underWay = new Map<string, Set<CallSignal>>();

  /** Lists a call until the returned function is called. `owner`: a session, or a credential where there is none. */
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
   * Cancels a call. Clients without a session that share a credential count their requests each from the same number:
   * where several are under way by the same id, nobody knows which is meant, and all go on.
   */
  cancel(owner: string, id: RpcId): void {
    const [call, ...others] = this.#underWay.get(keyOf(owner, id)) ?? [];
    if (others.length === 0) call?.cancel();
  }
}

/** 1 and '1' are two ids. */
function keyOf(owner: string, id: RpcId): string {
  return `${owner} ${JSON.stringify(id)}`;
}

/** Whether one call may go on. Its signal is made when somebody asks for it: most tools never look. */
export class CallSignal {
  readonly #connection: () => AbortSignal;
  readonly #leave: () => void;
  #isCancelled = false;
  #controller: AbortController | null = null;
  #forget: () => void = () => {};

  /** Lists the call. `connection`: a signal that aborts it as well. */
  constructor(list: Cancellations, owner: string, id: RpcId, connection: () => AbortSignal) {
    this.#connection = connection;
    this.#leave = list.add(owner, id, this);
  }

  /** Whether its client wants no answer any more. */
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

  /** The call is over. */
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
