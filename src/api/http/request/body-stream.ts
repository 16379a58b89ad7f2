import { GatewayError } from '../../../base/errors.ts';
import type { Reader } from '../../../base/reading-time.ts';
import type { Exchange } from '../answer/exchange.ts';

/** Options of a BodyStream. */
export interface BodyStreamOptions {
  readonly contentType: string;
  /** The announced length; null if there is none. */
  readonly lengthBytes: number | null;
  /** Time limit from the end of the headers to the last byte. */
  readonly deadlineMs: number;
  /** Longest time that the client may send nothing while the reader is waiting. */
  readonly silenceMs: number;
  /** The sender's share of the main thread, which the work on the body counts for. Null: nobody knows who sends it. */
  readonly share: Reader | null;
}

/** So much at a time goes to whoever reads the body of an account that is not alone, and others come in between. */
const PIECE_BYTES = 64 * 1_024;
/** Shorter chunks are put together. To copy longer ones would cost more than to handle each. */
const LONG_CHUNK_BYTES = 16 * 1_024;

/**
 * A request body as a stream. Nothing is read from the connection while the reader is busy, so memory holds only what
 * the library has read at once, usually half a MB at most. Iterating throws `body_too_slow`, or an AbortError if the
 * client disconnects. Must be created inside the library's callback; otherwise data that came with the headers is lost.
 */
export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly contentType: string;
  readonly lengthBytes: number | null;
  readonly #exchange: Exchange;
  readonly #share: Reader | null;
  readonly #endMs: number;
  readonly #silence: NodeJS.Timeout;
  #chunks: Uint8Array[] = [];
  #state: 'open' | 'complete' | 'closed' = 'open';
  #failure: unknown = null;
  #isPaused = false;
  #waiting: PromiseWithResolvers<void> | null = null;

  constructor(exchange: Exchange, options: BodyStreamOptions) {
    this.#exchange = exchange;
    this.#share = options.share;
    this.contentType = options.contentType;
    this.lengthBytes = options.lengthBytes;
    this.#endMs = performance.now() + options.deadlineMs;
    this.#silence = setTimeout(() => this.#missed(), options.silenceMs);
    exchange.watchAbort();
    exchange.signal.addEventListener('abort', () => this.#fail(exchange.signal.reason), { once: true });
    exchange.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#takeHeld();
      if (chunk !== null) yield* this.#inTurn(chunk);
      else if (this.#failure !== null) throw this.#failure;
      else if (this.#state === 'complete') return;
      else await this.#more();
    }
  }

  /** Yields a chunk in pieces, each when it is the sender's turn. */
  async *#inTurn(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
    const share = this.#share;
    if (share === null) return yield chunk;
    const mostBytes = share.hasCompany ? PIECE_BYTES : chunk.byteLength;
    yield* share.pieces(chunk, mostBytes, () => share.goOn(this.#exchange.signal));
  }

  /**
   * The first `maxBytes` of the body, or all of it if it is shorter. They are not consumed: iterating still starts at
   * the beginning.
   */
  async beginning(maxBytes: number): Promise<Buffer> {
    while (this.#state === 'open' && this.#heldBytes < maxBytes) await this.#more();
    if (this.#failure !== null) throw this.#failure;
    return Buffer.concat(this.#chunks).subarray(0, maxBytes);
  }

  /** The next chunk; all that are held as one if it is short, because whoever reads them works per piece. */
  #takeHeld(): Uint8Array | null {
    const chunks = this.#chunks;
    if (chunks.length < 2 || chunks[0]!.byteLength >= LONG_CHUNK_BYTES) return chunks.shift() ?? null;
    this.#chunks = [];
    return Buffer.concat(chunks);
  }

  get #heldBytes(): number {
    return this.#chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Lets the library discard the rest of the body, so that an answer can be sent. Safe to call twice. */
  close(): void {
    clearTimeout(this.#silence);
    this.#chunks = [];
    this.#failure ??= new Error('the body was read after its answer');
    this.#state = 'closed';
    this.#resume();
    this.#wake();
  }

  #take(chunk: ArrayBuffer | Uint8Array, isLast: boolean): void {
    if (this.#state !== 'open') return;
    // The library reuses its memory after this callback.
    if (chunk.byteLength > 0) this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (isLast) {
      clearTimeout(this.#silence);
      this.#state = 'complete';
    } else if (performance.now() > this.#endMs) this.#fail(new GatewayError('body_too_slow'));
    else this.#pause();
    this.#wake();
  }

  #more(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    this.#silence.refresh();
    this.#resume();
    return this.#waiting.promise;
  }

  /**
   * Pauses reading. The library disconnects clients that send less than 160 kB in 10 s; resuming restarts that period.
   */
  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#exchange.response.pause();
  }

  #resume(): void {
    if (!this.#isPaused || !this.#exchange.isOpen) return;
    this.#isPaused = false;
    this.#exchange.response.resume();
  }

  /** A timeout counts against the client only while the reader is waiting for data. */
  #missed(): void {
    if (this.#waiting !== null) this.#fail(new GatewayError('body_too_slow'));
  }

  #fail(error: unknown): void {
    if (this.#state !== 'open') return;
    clearTimeout(this.#silence);
    this.#failure = error;
    this.#state = 'closed';
    this.#wake();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
