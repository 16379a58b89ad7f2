import { sql } from 'kysely';
import { type Address, keyOfLogin } from '../../base/address.ts';
import type { Platform } from '../../base/platform.ts';
import { isoAfter } from '../../base/time.ts';
import { type Db, putRow, takeUnexpired } from '../database/rows.ts';

/** A message that comes later than this is none that an edit has overtaken. */
const DAY_MS = 86_400_000;
/** Of one account: people also edit what they wrote before they knew the bot. */
const MOST = 500;

/** A message at a platform. */
export interface MessageAt {
  readonly platform: Platform;
  readonly from: Address;
  readonly platformMessageId: string;
}

/** What a message says by now. `text` null: it was deleted. */
export interface EarlyEdit {
  readonly text: string | null;
}

/**
 * Remembers an edit or deletion that came before its message: platforms deliver in any order, and repeat what was not
 * acknowledged. The oldest ones of an account make room.
 */
export async function noteEarlyEdit(
  db: Db,
  message: MessageAt,
  { accountId, text }: EarlyEdit & { readonly accountId: string },
  nowIso: string,
): Promise<void> {
  const row = { id: idOf(message), accountId, text, expiresAt: isoAfter(nowIso, DAY_MS) };
  await putRow(db, 'earlyEdits', row, { key: ['id'] });
  await sql`
    delete from early_edits where id in (
      select id from early_edits where account_id = ${accountId} order by expires_at desc limit -1 offset ${MOST})`.execute(
    db,
  );
}

/** Returns the edit that came before a message, once. Undefined: there was none. */
export async function takeEarlyEdit(
  db: Db,
  message: MessageAt,
  nowIso: string,
): Promise<EarlyEdit | undefined> {
  return await takeUnexpired(db, 'earlyEdits', { id: idOf(message) }, nowIso);
}

/** Some platforms do not tell the thread of a message that was deleted. */
function idOf({ platform, from: { login, space }, platformMessageId }: MessageAt): string {
  return JSON.stringify([platform, keyOfLogin(login), space.kind, space.id, platformMessageId]);
}
