import { GatewayError } from '../base/errors.ts';
import { hashToken } from '../base/tokens.ts';
import { findFileByToken, type StoredFile } from '../store/messages/files.ts';
import { isMissing } from './file-disk.ts';
import type { FileDomain } from './file-domain.ts';
import { bytesOnDisk, refetchFile } from './refetch-file.ts';

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
  const file = await findFileByToken(domain.store.db, hashToken(token));
  const isOver = !file || file.expiresAt <= domain.clock.nowIso();
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
