import { deleteFile, type StoredFile, someFilesOf } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';

const BATCH_SIZE = 100;

/** Deletes all files of an account, records and bytes, before the account is deleted. */
export async function deleteAccountFiles(domain: FileDomain, accountId: string): Promise<void> {
  for (;;) {
    const files = await someFilesOf(domain.store.db, accountId, BATCH_SIZE);
    if (files.length === 0) return;
    for (const file of files) await deleteWithBytes(domain, file);
  }
}

/**
 * Deletes the record first: the next start removes bytes without a record, but a record without bytes would be visible.
 */
export async function deleteWithBytes(domain: FileDomain, file: StoredFile): Promise<void> {
  if (await deleteFile(domain.store.db, file.id)) await removeBytes(domain, file);
}

/** Removes a file's bytes, given the record as it was. */
export async function removeBytes({ disk, ledger }: FileDomain, file: StoredFile): Promise<void> {
  if (file.state !== 'stored' && file.cachedUntil === null) return;
  ledger.give(file.state === 'stored' ? file.accountId : null, file.sizeBytes ?? 0);
  await disk.remove(file.id);
}
