import { GatewayError } from '../base/errors.ts';
import { fromWireError, type RequestReply } from './protocol.ts';

interface Request<Command> {
  readonly command: Command;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout;
  sent: boolean;
}

/** Requests to a worker that are waiting for a reply, each with a deadline. */
export class Requests<Command extends { readonly requestId: number }> {
  readonly #pending = new Map<number, Request<Command>>();
  #lastId = 0;

  /**
   * Makes a request, passes its command to `send` and resolves to the value of the reply. `what` names the request in errors. Rejects
   * with `deadline_exceeded` when no reply arrives in time.
   */
  ask(
    deadlineMs: number,
    what: string,
    make: (requestId: number) => Command,
    send: (command: Command) => void,
  ): Promise<unknown> {
    this.#lastId++;
    const requestId = this.#lastId;
    const command = make(requestId);
    return new Promise((resolve, reject) => {
      const late = (): void =>
        this.#fail(requestId, new GatewayError('deadline_exceeded', `${what} did not finish in time`));
      const deadline = setTimeout(late, deadlineMs);
      this.#pending.set(requestId, { command, resolve, reject, deadline, sent: false });
      try {
        send(command);
      } catch (error) {
        this.#fail(requestId, error as Error);
      }
    });
  }

  /** Records that a worker has received the command. */
  sent(requestId: number): void {
    const request = this.#pending.get(requestId);
    if (request !== undefined) request.sent = true;
  }

  get size(): number {
    return this.#pending.size;
  }

  settle(reply: RequestReply): void {
    if (reply.ok) this.#take(reply.requestId)?.resolve(reply.value);
    else this.#fail(reply.requestId, fromWireError(reply.error));
  }

  /**
   * Handles the loss of the worker. Returns the commands to send to the next one. Those that were already sent and may
   * not run twice fail instead with `internal_error`.
   */
  moved(mayRepeat: (command: Command) => boolean): Command[] {
    const kept: Command[] = [];
    for (const [requestId, request] of [...this.#pending]) {
      const begun = request.sent && !mayRepeat(request.command);
      if (begun) this.#fail(requestId, new GatewayError('internal_error', 'The engine thread was lost'));
      else kept.push(request.command);
      request.sent = false;
    }
    return kept;
  }

  failAll(error: Error): void {
    for (const requestId of [...this.#pending.keys()]) this.#fail(requestId, error);
  }

  #fail(requestId: number, error: Error): void {
    this.#take(requestId)?.reject(error);
  }

  #take(requestId: number): Request<Command> | undefined {
    const request = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    clearTimeout(request?.deadline);
    return request;
  }
}
