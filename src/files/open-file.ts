import { loginOfKey } from '../base/address.ts';
import { GatewayError } from '../base/errors.ts';
import { hashToken } from '../base/ids.ts';
import { isoAfter, TimeLimit } from '../base/time.ts';
import { changeRows, findRow } from '../store/database/rows.ts';
import { type StoredFile, setGone } from '../store/messages/files.ts';
import { abortable, unlessAborted } from './abortable.ts';
import { isMissing } from './file-disk.ts';
import { CACHE_LIFE_MS, type FileDomain } from './file-domain.ts';
import { dropBytes, type Received, receiveBytes } from './receive-bytes.ts';
import { emptyCache } from './remove-files.ts';

/** A file whose bytes are available. */
export interface OpenFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Yields the bytes from `first` to `last`, inclusive. Each call starts again at `first`. */
  read(first: number, last: number): AsyncIterable<Uint8Array>;
}

/**
 * Finds a file by the token in its URL, and fetches its bytes again if only the platform has them. Throws
 * `file_not_found` when the token is unknown or expired, `file_gone` when the platform has lost the file, and the
 * errors of `refetchFile`.
 */
export async function openByToken(domain: FileDomain, token: string): Promise<OpenFile> {
  const file = await findRow(domain.store.db, 'files', { tokenHash: hashToken(token) });
  const isOver = !file || file.state === 'reserved' || file.expiresAt <= domain.clock.nowIso();
  if (isOver || (file.state === 'gone' && file.origin === 'upload')) throw new GatewayError('file_not_found');
  return await openFile(domain, file);
}

/** Like `openByToken`, for a known file. */
export async function openFile(domain: FileDomain, file: StoredFile): Promise<OpenFile> {
  const { id, name, mime } = file;
  const sizeBytes = await atHand(domain, file);
  return { id, name, mime, sizeBytes, read: (first, last) => bytesOf(domain, id, first, last) };
}

/** Ensures that the bytes are on disk. Returns their number. */
async function atHand(domain: FileDomain, file: StoredFile): Promise<number> {
  if (file.state === 'gone' || file.state === 'reserved') throw new GatewayError('file_gone');
  const sizeBytes = await bytesOnDisk(domain, file);
  if (sizeBytes !== null) return sizeBytes;
  if (file.state === 'remote') return await refetchFile(domain, file);
  throw new GatewayError('file_gone');
}

async function* bytesOf(
  { disk }: FileDomain,
  id: string,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* disk.read(id, first, last);
  } catch (error) {
    throw isMissing(error) ? new GatewayError('file_gone') : error;
  }
}

/** From the request to the platform to the last byte. */
const REFETCH_DEADLINE_MS = 60_000;

/**
 * Fetches a file's bytes from its platform into the cache for 15 minutes, and returns their number. Concurrent calls
 * share one fetch. Throws `file_gone` when the platform no longer has the file or it is over our limit (both are
 * cached), `platform_failed`, `too_many_transfers`, `storage_full`.
 */
export async function refetchFile(domain: FileDomain, file: StoredFile): Promise<number> {
  const underWay = domain.refetches.get(file.id);
  if (underWay) return await underWay;
  const fetching = fetchIntoCache(domain, file).finally(() => domain.refetches.delete(file.id));
  domain.refetches.set(file.id, fetching);
  return await fetching;
}

async function fetchIntoCache(domain: FileDomain, file: StoredFile): Promise<number> {
  const reason = new GatewayError('platform_failed');
  const limit = new TimeLimit(domain.clock, REFETCH_DEADLINE_MS, { reason });
  try {
    const cachedBytes = await stillCached(domain, file.id);
    if (cachedBytes !== null) return cachedBytes;
    const { id: fileId, accountId } = file;
    const incoming = { fileId, accountId, owner: null };
    const source = await domain.transfers.during(accountId, () => openAt(domain, file, limit.signal));
    const received = await receiveBytes(domain, incoming, abortable(source, limit.signal));
    return await keepCached(domain, received);
  } catch (error) {
    throw await settleFailure(domain, file, error);
  } finally {
    limit.close();
  }
}

/**
 * Returns the size of a file that is completely on disk. Null: it is not, or its cache time is over. After a power
 * failure bytes may be missing.
 */
export async function bytesOnDisk({ disk, clock }: FileDomain, file: StoredFile): Promise<number | null> {
  const isKept = file.state === 'stored' || (file.cachedUntil !== null && file.cachedUntil > clock.nowIso());
  if (!isKept) return null;
  const sizeBytes = await disk.sizeBytes(file.id);
  return sizeBytes === file.sizeBytes ? sizeBytes : null;
}

/** Another fetch may have ended since the file was looked up. */
async function stillCached(domain: FileDomain, id: string): Promise<number | null> {
  const file = await findRow(domain.store.db, 'files', { id });
  if (file?.state !== 'remote') throw new GatewayError('file_gone');
  const cachedBytes = await bytesOnDisk(domain, file);
  if (cachedBytes === null) await emptyCache(domain, file);
  return cachedBytes;
}

async function openAt(
  domain: FileDomain,
  { platform, loginKey, remoteRef }: StoredFile,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (remoteRef === null) throw new GatewayError('file_gone');
  const fetcher = platform === null ? undefined : domain.fetcher(platform);
  if (!fetcher || loginKey === null) throw new GatewayError('platform_failed');
  return await unlessAborted(fetcher.fetchFile(loginOfKey(loginKey), remoteRef, signal), signal);
}

async function keepCached(domain: FileDomain, received: Received): Promise<number> {
  const { fileId, sizeBytes } = received;
  const cachedUntil = isoAfter(domain.clock.nowIso(), CACHE_LIFE_MS);
  const remote = { id: fileId, state: 'remote' } as const;
  const isKnown = await changeRows(domain.store.db, 'files', remote, { sizeBytes, cachedUntil });
  if (!isKnown) {
    await dropBytes(domain, received);
    throw new GatewayError('file_gone');
  }
  domain.count('refetched');
  return sizeBytes;
}

/** A file that is too large stays too large, so it is marked as gone, too. */
async function settleFailure(
  { store, count }: FileDomain,
  file: StoredFile,
  error: unknown,
): Promise<unknown> {
  const code = error instanceof GatewayError ? error.code : 'platform_failed';
  if (code !== 'file_gone' && code !== 'file_too_large') {
    count('refetch_failed');
    return error instanceof GatewayError
      ? error
      : new GatewayError('platform_failed', undefined, { cause: error });
  }
  await setGone(store.db, file.id, file.expiresAt);
  count('gone');
  return new GatewayError('file_gone');
}
