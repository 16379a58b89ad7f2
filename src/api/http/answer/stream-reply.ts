import { assert } from '../../../base/assert.ts';
import type { Reader } from '../../../base/reading-time.ts';
import type { Exchange } from './exchange.ts';
import type { StreamReply } from './reply.ts';

/** Waits until the client has read what was buffered. */
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
 * Sends a reply's chunks as fast as the client reads them, with at most one chunk buffered. It awaits the first chunk
 * before sending the status, so that a source that fails immediately still gets the right status. The iterator is
 * closed when the client disconnects; a source that may wait should listen to the request's signal. `share`: of whoever
 * asked, which the chunks count for.
 */
export async function streamReply(
  exchange: Exchange,
  reply: StreamReply,
  share: Reader | null,
): Promise<void> {
  exchange.watchAbort();
  const iterator = reply.body[Symbol.asyncIterator]();
  try {
    if (exchange.isHead) exchange.send(reply);
    else await pump(exchange, reply, iterator, share);
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
  share: Reader | null,
): Promise<void> {
  const writable = new Writable();
  const release = () => writable.signal();
  let next = await iterator.next();
  if (!exchange.isOpen) return;
  exchange.signal.addEventListener('abort', release);
  exchange.startStream(reply, release);
  let leftBytes = reply.lengthBytes;
  while (!next.done) {
    const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    if (leftBytes !== undefined) {
      leftBytes -= chunk.byteLength;
      assert(leftBytes >= 0, 'stream is longer than announced');
    }
    if (share?.hasCompany) await share.share(chunk);
    if (!exchange.isOpen) return;
    if (chunk.byteLength > 0 && !exchange.response.write(chunk)) await writable.wait();
    if (!exchange.isOpen) return;
    next = await iterator.next();
    if (!exchange.isOpen) return;
  }
  assert(!leftBytes, 'stream is shorter than announced');
  exchange.endStream();
}

async function closeIterator(exchange: Exchange, iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch (error) {
    exchange.report(error);
  }
}
