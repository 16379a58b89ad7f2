import { GatewayError } from '../base/errors.ts';
import { countHeldFiles, countOpenSlots } from '../store/people/account-counts.ts';
import type { FileDomain } from './file-domain.ts';

/** Applies whatever the files' sizes: each has a record and a directory entry. */
const MAX_FILES = 10_000;
const MAX_OPEN_SLOTS = 100;

/** Throws `storage_full`, with the limit, when the account has reached its number of files. */
export async function assertFileRoom({ store, count }: FileDomain, accountId: string): Promise<void> {
  if ((await countHeldFiles(store.db, accountId)) < MAX_FILES) return;
  count('storage_full');
  throw new GatewayError('storage_full', `An account may have at most ${MAX_FILES} files`);
}

/** Throws `too_many_slots`, with the limit, when the account has reached its number of reserved uploads. */
export async function assertSlotRoom({ store, clock }: FileDomain, accountId: string): Promise<void> {
  if ((await countOpenSlots(store.db, accountId, clock.nowIso())) < MAX_OPEN_SLOTS) return;
  const text = `An account may have at most ${MAX_OPEN_SLOTS} reserved uploads`;
  throw new GatewayError('too_many_slots', text);
}
