import { cachedFiles, type StoredFile, setCold } from '../store/messages/files.ts';
import { removeBytes } from './delete-account-files.ts';
import type { FileDomain } from './file-domain.ts';

const BATCH_SIZE = 20;

/** Takes a platform's file off the disk; whoever asks for it has it fetched again. */
export async function emptyCache(domain: FileDomain, file: StoredFile): Promise<void> {
  // Somebody else may be about it at the same time; its room is given back once.
  if (await setCold(domain.store.db, file)) await removeBytes(domain, file);
}

/** Gives up the oldest copies of what platforms have, until so many bytes find room or there is none left. */
export async function makeRoom(domain: FileDomain, bytes: number): Promise<void> {
  while (domain.ledger.missingFor(bytes) > 0) {
    const oldest = await cachedFiles(domain.store.db, BATCH_SIZE);
    if (oldest.length === 0) return;
    for (const file of oldest) if (domain.ledger.missingFor(bytes) > 0) await emptyCache(domain, file);
  }
}
