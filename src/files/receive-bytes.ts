import { GatewayError } from '../base/errors.ts';
import { ReadingRefused } from '../base/reading-time.ts';
import { abortable } from './abortable.ts';
import type { FileDomain, FileEvent } from './file-domain.ts';
import { SNIFFED_BYTES } from './mime-type.ts';
import { makeRoom } from './remove-files.ts';
import type { Owner } from './storage-ledger.ts';

/** A file to be received, and the account whose transfer it is. */
export interface Incoming {
  readonly fileId: string;
  readonly accountId: string;
  /** For whom the bytes count. Default: the account. */
  readonly owner?: Owner;
}

/** Bytes on disk whose record has not been created yet. */
export interface Received {
  readonly fileId: string;
  readonly owner: Owner;
  readonly sizeBytes: number;
  /** The first bytes. */
  readonly head: Uint8Array;
}

/** Counted events by error code. */
const COUNTED: Readonly<Record<string, FileEvent>> = {
  storage_full: 'storage_full',
  too_many_transfers: 'too_many_transfers',
};

/**
 * Streams a file's bytes to disk, as a transfer of its account. On failure, nothing is kept. Throws `file_too_large` at the first byte over the
 * limit, `storage_full`, `too_many_transfers`, `unauthorized` when the owner is deleted, or any error of the source.
 */
export async function receiveBytes(
  domain: FileDomain,
  { fileId, accountId, owner = accountId }: Incoming,
  source: AsyncIterable<Uint8Array>,
): Promise<Received> {
  const meter = new Meter(domain, owner);
  const reader = domain.readingTime.of(accountId);
  try {
    await domain.transfers.during(accountId, (signal) =>
      domain.disk.write(fileId, meter.count(reader.chunks(abortable(source, signal), signal))),
    );
  } catch (error) {
    domain.ledger.give(owner, meter.sizeBytes);
    throw refusalOf(domain, domain.store.disk.failure(error));
  }
  return { fileId, owner, sizeBytes: meter.sizeBytes, head: meter.head };
}

/** Removes received bytes that did not get a record. */
export async function dropBytes(domain: FileDomain, { fileId, owner, sizeBytes }: Received): Promise<void> {
  domain.ledger.give(owner, sizeBytes);
  await domain.disk.remove(fileId);
}

/** Returns the error for a file that is too large; its text contains the limit. */
export function tooLarge({ maxBytes, count }: Pick<FileDomain, 'maxBytes' | 'count'>): GatewayError {
  count('too_large');
  return new GatewayError('file_too_large', `File exceeds max size (${maxBytes} bytes)`);
}

/** An uploader sees a full disk as `storage_full`. */
function refusalOf({ count }: Pick<FileDomain, 'count'>, error: unknown): unknown {
  if (error instanceof ReadingRefused) return refusalOf({ count }, new GatewayError('too_many_transfers'));
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'disk_full') return refusalOf({ count }, new GatewayError('storage_full'));
  const event = code === undefined ? undefined : COUNTED[code];
  if (event !== undefined) count(event);
  return error;
}

/** Counts the bytes on their way to disk and keeps the first ones. */
class Meter {
  sizeBytes = 0;
  head: Uint8Array = new Uint8Array();
  readonly #domain: FileDomain;
  readonly #owner: Owner;

  constructor(domain: FileDomain, owner: Owner) {
    this.#domain = domain;
    this.#owner = owner;
  }

  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.sizeBytes + chunk.byteLength > this.#domain.maxBytes) throw tooLarge(this.#domain);
      await makeRoom(this.#domain, chunk.byteLength);
      this.#domain.ledger.take(this.#owner, chunk.byteLength);
      this.sizeBytes += chunk.byteLength;
      this.#keepHead(chunk);
      yield chunk;
    }
  }

  #keepHead(chunk: Uint8Array): void {
    const missing = SNIFFED_BYTES - this.head.byteLength;
    if (missing > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, missing)]);
  }
}
