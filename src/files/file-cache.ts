import { cachedFiles, type StoredFile, setCold } from '../store/messages/files.ts';
import { removeBytes } from './delete-account-files.ts';
import type { FileDomain } from './file-domain.ts';

const BATCH_SIZE = 20;

/** Removes a platform's file from the disk. The next request fetches it again. */
export async function emptyCache(domain: FileDomain, file: StoredFile): Promise<void> {
  // This may run concurrently; the file's space must be released only once.
  if (await setCold(domain.store.db, file)) await removeBytes(domain, file);
}

/** Evicts the oldest cached platform files until `bytes` fit or the cache is empty. */
export async function makeRoom(domain: FileDomain, bytes: number): Promise<void> {
  while (domain.ledger.missingFor(bytes) > 0) {
    const oldest = await cachedFiles(domain.store.db, BATCH_SIZE);
    if (oldest.length === 0) return;
    for (const file of oldest) if (domain.ledger.missingFor(bytes) > 0) await emptyCache(domain, file);
  }
}
