import { GatewayError } from '../../base/errors.ts';
import type { Socket } from '../http/socket/socket.ts';
import type { StreamEvent } from '../schema/stream.ts';
import { StreamFault } from './stream-request.ts';

/** What a client of a call WebSocket is told. */
export class ClientEvents {
  readonly #socket: Socket;
  readonly #count: (code: string) => void;

  /** `count` is told of each error by its code. */
  constructor(socket: Socket, count: (code: string) => void) {
    this.#socket = socket;
    this.#count = count;
  }

  send(event: StreamEvent): void {
    if (event.type === 'call_error') this.#count(event.code);
    this.#socket.sendText(JSON.stringify(event));
  }

  /** Reports a client's mistake in a `call_error`; the call continues. Rethrows any other error. */
  answerFault(error: unknown): void {
    if (!(error instanceof StreamFault || error instanceof GatewayError)) throw error;
    this.send({ type: 'call_error', code: error.code, message: error.message });
    this.#socket.faulted();
  }
}
