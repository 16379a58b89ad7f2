import { assert } from '../../base/assert.ts';
import type { Exchange } from './exchange.ts';
import type { StreamReply } from './reply.ts';

/** Room on the connection: a promise that the server library settles when the client has taken what was buffered. */
class Writable {
  #waiting: PromiseWithResolvers<void> | null = null;

  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  signal(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}

/**
 * Sends a reply's chunks as fast as the client takes them: never more than one chunk is buffered. The first chunk is
 * awaited before the status goes out, so that a source that fails at once still gives an honest status. When the
 * client goes away the iterator is closed; a source that waits for something should listen to the request's signal.
 */
export async function streamReply(exchange: Exchange, reply: StreamReply): Promise<void> {
  exchange.watchAbort();
  const iterator = reply.body[Symbol.asyncIterator]();
  try {
    if (exchange.isHead) exchange.send(reply);
    else await pump(exchange, reply, iterator);
  } catch (error) {
    exchange.fail(error);
  } finally {
    if (!exchange.isOpen) void closeIterator(exchange, iterator);
  }
}

async function pump(
  exchange: Exchange,
  reply: StreamReply,
  iterator: AsyncIterator<Uint8Array | string>,
): Promise<void> {
  const writable = new Writable();
  const release = () => writable.signal();
  let next = await iterator.next();
  if (!exchange.isOpen) return;
  exchange.signal.addEventListener('abort', release);
  exchange.startStream(reply, release);
  const sink =
    reply.lengthBytes === undefined ? new ChunkedSink(exchange) : new SizedSink(exchange, reply.lengthBytes);
  while (!next.done) {
    const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    if (chunk.byteLength > 0) await sink.write(chunk, writable);
    if (!exchange.isOpen) return;
    next = await iterator.next();
    if (!exchange.isOpen) return;
  }
  sink.end();
}

interface Sink {
  /** Resolves when the connection has room for more, or is gone. */
  write(chunk: Uint8Array, writable: Writable): Promise<void> | void;
  end(): void;
}

/** An answer of unknown length. */
class ChunkedSink implements Sink {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  write(chunk: Uint8Array, writable: Writable): Promise<void> | void {
    let hasRoom = true;
    this.#exchange.response.cork(() => {
      hasRoom = this.#exchange.response.write(chunk);
    });
    if (!hasRoom) return writable.wait();
  }

  end(): void {
    this.#exchange.endStream();
  }
}

/** An answer whose length was announced: what the socket does not take is offered again when it has room. */
class SizedSink implements Sink {
  readonly #exchange: Exchange;
  readonly #lengthBytes: number;
  #sentBytes = 0;

  constructor(exchange: Exchange, lengthBytes: number) {
    this.#exchange = exchange;
    this.#lengthBytes = lengthBytes;
  }

  async write(chunk: Uint8Array, writable: Writable): Promise<void> {
    assert(this.#sentBytes + chunk.byteLength <= this.#lengthBytes, 'stream is longer than announced');
    let rest = chunk;
    while (rest.byteLength > 0 && this.#exchange.isOpen) {
      const takenBytes = this.#offer(rest);
      rest = rest.subarray(takenBytes);
      if (rest.byteLength > 0) await writable.wait();
    }
  }

  end(): void {
    assert(this.#sentBytes === this.#lengthBytes, 'stream is shorter than announced');
    if (this.#lengthBytes === 0) this.#exchange.endStream();
  }

  #offer(bytes: Uint8Array): number {
    const { response } = this.#exchange;
    const before = response.getWriteOffset();
    let isComplete = false;
    response.cork(() => {
      [, isComplete] = response.tryEnd(bytes, this.#lengthBytes);
    });
    if (isComplete) this.#exchange.ended();
    const takenBytes = isComplete ? bytes.byteLength : response.getWriteOffset() - before;
    this.#sentBytes += takenBytes;
    return takenBytes;
  }
}

async function closeIterator(exchange: Exchange, iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch (error) {
    exchange.report(error);
  }
}
