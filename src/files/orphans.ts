import { isoAfter } from '../base/time.ts';
import { filesWithBytes, idsWithBytes } from '../store/messages/files.ts';
import type { FileDomain } from './file-domain.ts';
import { emptyCache, forgetFile } from './remove-files.ts';

/** Uploads and downloads take a quarter of an hour at most, and their records come after their bytes. */
const UNDER_WAY_MS = 3_600_000;
const BATCH_SIZE = 100;

/** Removes bytes without a record, left behind when a process ended between writing and recording them. */
export async function removeOrphans(
  { disk, store }: Pick<FileDomain, 'disk' | 'store'>,
  minAgeMs = 0,
  isOver = () => false,
): Promise<void> {
  for await (const ids of disk.ids()) {
    if (isOver()) return;
    const known = await idsWithBytes(store.db, ids);
    for (const id of ids) if (!known.has(id) && (await disk.isOlder(id, minAgeMs))) await disk.remove(id);
  }
}

/**
 * Makes the disk and the records match while the gateway runs: removes bytes without a record and unfinished files, and
 * forgets files whose bytes are missing. Leaves alone what may be under way. Ends early once `isOver`.
 */
export async function sweepOrphans(domain: FileDomain, isOver: () => boolean): Promise<void> {
  await removeOrphans(domain, UNDER_WAY_MS, isOver);
  await domain.disk.removeUnfinished(UNDER_WAY_MS);
  await forgetLost(domain, isOver);
}

async function forgetLost(domain: FileDomain, isOver: () => boolean): Promise<void> {
  const { store, clock, disk } = domain;
  const before = isoAfter(clock.nowIso(), -UNDER_WAY_MS);
  for (let afterId: string | undefined = ''; afterId !== undefined && !isOver(); ) {
    const files = await filesWithBytes(store.db, { afterId, before, limit: BATCH_SIZE });
    for (const file of files) {
      if ((await disk.sizeBytes(file.id)) !== null) continue;
      await (file.state === 'stored' ? forgetFile(domain, file) : emptyCache(domain, file));
    }
    afterId = files.at(-1)?.id;
  }
}
