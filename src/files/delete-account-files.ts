import { deleteFile, type StoredFile, someFilesOf } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';

const BATCH_SIZE = 100;

/** Deletes all files of an account that is going away, records and bytes. */
export async function deleteAccountFiles(domain: FileDomain, accountId: string): Promise<void> {
  for (;;) {
    const files = await someFilesOf(domain.store.db, accountId, BATCH_SIZE);
    if (files.length === 0) return;
    for (const file of files) await deleteWithBytes(domain, file);
  }
}

/** Record first: bytes that nobody knows of are removed by the next start, a record without bytes would show. */
export async function deleteWithBytes(domain: FileDomain, file: StoredFile): Promise<void> {
  if (await deleteFile(domain.store.db, file.id)) await removeBytes(domain, file);
}

/** Removes the bytes that a record, as it was, stood for. */
export async function removeBytes({ disk, ledger }: FileDomain, file: StoredFile): Promise<void> {
  if (file.state !== 'stored' && file.cachedUntil === null) return;
  ledger.give(file.state === 'stored' ? file.accountId : null, file.sizeBytes ?? 0);
  await disk.remove(file.id);
}
