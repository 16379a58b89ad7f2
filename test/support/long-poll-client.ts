import { connect, type Socket } from 'node:net';
import type { AnyJson } from './any-json.ts';

/** One long-polling request on a bare connection, so that thousands of them cost their process next to nothing. */
export class LongPollClient {
  readonly #socket: Socket;
  readonly #head: string;
  #answered = Promise.withResolvers<number>();
  #received = '';

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#receive(data.toString('latin1')));
    socket.on('error', () => undefined);
  }

  /** Connects to a gateway with a key. */
  static async open(port: number, apiKey: string): Promise<LongPollClient> {
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new LongPollClient(socket, `Host: 127.0.0.1\r\nX-API-Key: ${apiKey}\r\n\r\n`);
  }

  /** Asks; resolves with the time (`performance.now()`) at which the answer was there. */
  ask(path: string): Promise<number> {
    this.#received = '';
    this.#answered = Promise.withResolvers<number>();
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${this.#head}`);
    return this.#answered.promise;
  }

  /** The answer's body. */
  get body(): AnyJson {
    return JSON.parse(this.#received.slice(this.#received.indexOf('\r\n\r\n') + 4));
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(data: string): void {
    this.#received += data;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length >= end + 4 + length) this.#answered.resolve(performance.now());
  }
}
