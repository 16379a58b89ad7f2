import { type Db, deleteRows, findRow } from '../database/rows.ts';

/**
 * Ends a message that people see while it is written. Returns the platform's id of it, so that the whole message can take
 * its place; null: nothing is shown. Call it in the transaction that stores the whole message.
 */
export async function takeLive(db: Db, key: string): Promise<string | null> {
  const live = await findRow(db, 'liveMessages', { key });
  if (live !== undefined) await deleteRows(db, 'liveMessages', { key });
  return live?.shownId ?? null;
}
