import { GatewayError } from '../base/errors.ts';
import { fromWireError, type Reply } from './protocol.ts';

interface Request {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout;
}

/** Requests to a worker that wait for their Reply, each with a deadline. */
export class Requests {
  readonly #pending = new Map<number, Request>();
  #lastId = 0;

  /** Makes a request, hands its id to `send`, and waits for the reply. */
  ask(deadlineMs: number, what: string, send: (requestId: number) => void): Promise<void> {
    this.#lastId++;
    const requestId = this.#lastId;
    return new Promise((resolve, reject) => {
      const late = (): void =>
        this.fail(requestId, new GatewayError('deadline_exceeded', `${what} did not finish in time`));
      this.#pending.set(requestId, { resolve, reject, deadline: setTimeout(late, deadlineMs) });
      send(requestId);
    });
  }

  settle(reply: Reply): void {
    if (reply.ok) this.#take(reply.requestId)?.resolve();
    else this.#take(reply.requestId)?.reject(fromWireError(reply.error));
  }

  fail(requestId: number, error: Error): void {
    this.#take(requestId)?.reject(error);
  }

  failAll(error: Error): void {
    for (const requestId of [...this.#pending.keys()]) this.fail(requestId, error);
  }

  #take(requestId: number): Request | undefined {
    const request = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    clearTimeout(request?.deadline);
    return request;
  }
}
