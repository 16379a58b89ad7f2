import { hashToken, newToken } from '../../base/ids.ts';
import { isoAfter } from '../../base/time.ts';
import { type Db, deleteExpired, findUnexpired, insertRow } from '../../store/database/rows.ts';
import { type MailToken, voidMailTokens } from '../../store/people/mail-tokens.ts';
import type { MailPurpose } from '../../store/people/people-tables.ts';
import type { People } from '../people/people.ts';

const HOUR_MS = 3_600_000;

const LIFETIME_MS: Readonly<Record<MailPurpose, number>> = {
  verify: 24 * HOUR_MS,
  reset: HOUR_MS,
  change_email: 24 * HOUR_MS,
};

const PATHS: Readonly<Record<MailPurpose, string>> = {
  verify: '/auth/verify',
  reset: '/auth/reset-password',
  change_email: '/api/verify-email-change',
};

/**
 * Creates a link that proves that its reader receives the mail of `email`, and voids all earlier links of the account.
 * The token itself is stored nowhere. Run it in a transaction.
 */
export async function newMailLink(
  { clock, publicUrl }: People,
  db: Db,
  { purpose, accountId, email }: Pick<MailToken, 'purpose' | 'accountId' | 'email'>,
): Promise<string> {
  const token = newToken();
  const createdAt = clock.nowIso();
  const expiresAt = isoAfter(createdAt, LIFETIME_MS[purpose]);
  await deleteExpired(db, 'mailTokens', createdAt);
  await voidMailTokens(db, accountId, createdAt);
  await insertRow(db, 'mailTokens', {
    tokenHash: hashToken(token),
    accountId,
    purpose,
    email,
    createdAt,
    expiresAt,
  });
  return `${publicUrl()}${PATHS[purpose]}?token=${token}`;
}

/** Returns the record of a link's token; undefined when the token is unknown, expired or voided. */
export async function readMailToken(
  db: Db,
  purpose: MailPurpose,
  token: string,
  nowIso: string,
): Promise<MailToken | undefined> {
  return await findUnexpired(db, 'mailTokens', { purpose, tokenHash: hashToken(token) }, nowIso);
}

/** Returns the account of a link without using the link; undefined as for `readMailToken`. */
export async function accountOfLink(
  { db, clock }: People,
  purpose: MailPurpose,
  token: string,
): Promise<string | undefined> {
  return (await readMailToken(db, purpose, token, clock.nowIso()))?.accountId;
}
