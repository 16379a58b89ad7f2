import { assert } from '../../base/assert.ts';
import type { Bytes } from '../http/answer/reply.ts';
import type { AnswerListener, Responder } from '../http/answer/responder.ts';
import type { ToThread } from './thread-protocol.ts';

/** The headers of a JSON answer, as every library writes them. */
const JSON_HEADERS = [
  ['Content-Type', 'application/json'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
] as const;

/** Answers a GET request of a connection that another thread has. That thread closes the connection afterwards. */
export class RemoteResponder implements Responder {
  readonly #id: number;
  readonly #address: string;
  readonly #post: (message: ToThread) => void;
  readonly #headers: (readonly [string, string])[] = [];
  #status = 200;

  constructor(id: number, address: string, post: (message: ToThread) => void) {
    this.#id = id;
    this.#address = address;
    this.#post = post;
  }

  remoteAddress(): string {
    return this.#address;
  }

  /** A client that goes meanwhile is answered in vain. */
  watch(): void {}

  /** GET requests have no body. */
  onData(): void {}

  pause(): void {}

  resume(): void {}

  cork(write: () => void): void {
    write();
  }

  writeStatus(status: number): void {
    this.#status = status;
  }

  writeHeader(name: string, value: string): void {
    this.#headers.push([name, value]);
  }

  writeJsonHeaders(): void {
    this.#headers.push(...JSON_HEADERS);
  }

  end(body: Bytes, _close: boolean, listener: AnswerListener): void {
    assert(typeof body === 'string' || body instanceof Uint8Array, 'an answer in one piece');
    this.#post({ type: 'answered', id: this.#id, status: this.#status, headers: this.#headers, body });
    listener.sent();
  }

  endWithoutBody(_lengthBytes: number | undefined, close: boolean, listener: AnswerListener): void {
    this.end('', close, listener);
  }

  startBody(): void {
    assert(false, 'no path of call WebSockets answers with a stream');
  }

  write(): boolean {
    return false;
  }

  endBody(): void {}

  close(): void {
    this.#post({ type: 'drop', id: this.#id });
  }
}
