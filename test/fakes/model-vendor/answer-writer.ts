import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { VendorError } from './vendor-error.ts';
import type { VendorAnswer } from './vendor-exchange.ts';
import type { VendorFault } from './vendor-fault.ts';

type Cut = Extract<VendorFault, { kind: 'cut' }>;
type Recording = Extract<VendorFault, { kind: 'recording' }>;

const DRIP_MS = 20;
const FLOOD_PIECE = Buffer.alloc(65_536, ' ');

/** Writes one answer as it is, or in one of the ways in which answers go wrong. */
export class AnswerWriter {
  readonly #response: ServerResponse;
  /** Aborts when the client has gone. */
  readonly #gone: AbortSignal;
  #isCut = false;

  constructor(response: ServerResponse, gone: AbortSignal) {
    this.#response = response;
    this.#gone = gone;
  }

  /** The client left before the answer was complete. */
  get isAbandoned(): boolean {
    return this.#gone.aborted && !this.#isCut && !this.#response.writableFinished;
  }

  async send(answer: VendorAnswer, fault: Cut | null): Promise<void> {
    if ('stream' in answer) return await this.#stream(answer.stream, answer.contentType, fault);
    if (fault) return this.#cut();
    this.#sendWhole(answer.status ?? 200, answer.body, answer.headers ?? {});
  }

  refuse({ status, body, headers }: VendorError): void {
    if (this.#response.headersSent) this.#cut();
    else this.#sendWhole(status, body, headers);
  }

  /** The fake itself has failed: tests see it in the log. */
  breakOff(error: unknown): void {
    if (!this.#gone.aborted) console.error(error);
    this.#cut();
  }

  async replay({ contentType, bytes, pieceBytes }: Recording): Promise<void> {
    await this.#stream(piecesOf(bytes, pieceBytes), contentType, null);
  }

  async hang(): Promise<void> {
    if (!this.#gone.aborted) await once(this.#gone, 'abort');
  }

  async drip(): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => this.#response.write(' '), DRIP_MS);
    await this.hang();
    clearInterval(timer);
  }

  async flood(): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    while (!this.#gone.aborted) {
      if (!this.#response.write(FLOOD_PIECE)) await this.#drained();
    }
  }

  async #stream(
    stream: AsyncGenerator<string | Uint8Array, void>,
    contentType: string,
    fault: Cut | null,
  ): Promise<void> {
    let left = fault?.afterChunks ?? Number.POSITIVE_INFINITY;
    if (left > 0) {
      this.#response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
      this.#response.flushHeaders();
    }
    for await (const chunk of stream) {
      if (this.#gone.aborted || (left <= 0 && fault?.turn !== 'answered')) break;
      left -= 1;
      if (left >= 0 && !this.#response.write(chunk)) await this.#drained();
      // Each event in a packet of its own.
      await new Promise(setImmediate);
    }
    // By now the vendor has done with the turn what the fault wants.
    if (fault) this.#cut();
    else if (!this.#gone.aborted) this.#response.end();
  }

  #sendWhole(status: number, body: object | string, headers: Readonly<Record<string, string>>): void {
    const isText = typeof body === 'string';
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
    this.#response.writeHead(status, { 'content-type': type, ...headers });
    this.#response.end(isText ? body : JSON.stringify(body));
  }

  /** Flushes what was written: a client is to get it before the connection breaks. */
  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#response.socket?.destroySoon();
  }

  async #drained(): Promise<void> {
    await Promise.race([once(this.#response, 'drain'), this.hang()]);
  }
}

async function* piecesOf(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
