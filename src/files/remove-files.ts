import { isoAfter } from '../base/time.ts';
import { deleteRows } from '../store/database/rows.ts';
import {
  cachedFiles,
  type ListedFile,
  type StoredFile,
  setCold,
  setGone,
  someFilesOf,
} from '../store/messages/files.ts';
import { type FileDomain, INBOUND_LIFE_MS } from './file-domain.ts';

const BATCH_SIZE = 100;
const EVICTED_AT_ONCE = 20;

/** Deletes all files of an account, records and bytes, before the account is deleted. */
export async function deleteAccountFiles(domain: FileDomain, accountId: string): Promise<void> {
  for (;;) {
    const files = await someFilesOf(domain.store.db, accountId, BATCH_SIZE);
    if (files.length === 0) return;
    for (const file of files) await deleteWithBytes(domain, file);
  }
}

/**
 * Deletes the record first: a sweep removes bytes without a record, but a record without bytes would be visible.
 */
export async function deleteWithBytes(domain: FileDomain, file: StoredFile): Promise<void> {
  if (await deleteRows(domain.store.db, 'files', { id: file.id })) await removeBytes(domain, file);
}

/** Forgets a file that is over. One that is attached to a message stays listed, without its bytes, for as long as an inbound file would. */
export async function forgetFile(domain: FileDomain, file: ListedFile): Promise<void> {
  const { store, clock, count } = domain;
  const listedUntil = isoAfter(file.createdAt, INBOUND_LIFE_MS);
  if (file.isAttached && listedUntil > clock.nowIso()) {
    await setGone(store.db, file.id, listedUntil);
    await removeBytes(domain, file);
  } else {
    await deleteWithBytes(domain, file);
  }
  count('expired');
}

/** Removes a file's bytes, given the record as it was. */
export async function removeBytes({ disk, ledger }: FileDomain, file: StoredFile): Promise<void> {
  if (file.state !== 'stored' && file.cachedUntil === null) return;
  ledger.give(file.state === 'stored' ? file.accountId : null, file.sizeBytes ?? 0);
  await disk.remove(file.id);
}

/** Removes a platform's file from the disk. The next request fetches it again. */
export async function emptyCache(domain: FileDomain, file: StoredFile): Promise<void> {
  // This may run concurrently; the file's space must be released only once.
  if (await setCold(domain.store.db, file)) await removeBytes(domain, file);
}

/** Evicts the oldest cached platform files until `bytes` fit or the cache is empty. */
export async function makeRoom(domain: FileDomain, bytes: number): Promise<void> {
  while (domain.ledger.missingFor(bytes) > 0) {
    const oldest = await cachedFiles(domain.store.db, EVICTED_AT_ONCE);
    if (oldest.length === 0) return;
    for (const file of oldest) if (domain.ledger.missingFor(bytes) > 0) await emptyCache(domain, file);
  }
}
