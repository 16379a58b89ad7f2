import { isoAfter } from '../base/time.ts';
import {
  deleteExpiredMailTokens,
  findMailToken,
  insertMailToken,
  type MailToken,
} from '../store/mail-tokens.ts';
import type { Db, MailPurpose } from '../store/tables.ts';
import type { People } from './people.ts';
import { hashToken, newToken } from './tokens.ts';

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

/** Makes a link that proves that its reader gets the mail of `email`. Its token is nowhere but in the link. */
export async function newMailLink(
  people: People,
  purpose: MailPurpose,
  accountId: string,
  email: string,
): Promise<string> {
  const token = newToken();
  const createdAt = people.clock.nowIso();
  const expiresAt = isoAfter(createdAt, LIFETIME_MS[purpose]);
  await deleteExpiredMailTokens(people.db, createdAt);
  await insertMailToken(people.db, {
    tokenHash: hashToken(token),
    accountId,
    purpose,
    email,
    createdAt,
    expiresAt,
  });
  return `${people.publicUrl()}${PATHS[purpose]}?token=${token}`;
}

/** What a link's token stands for; undefined when it was made up, has expired or was voided. */
export async function readMailToken(
  db: Db,
  purpose: MailPurpose,
  token: string,
  nowIso: string,
): Promise<MailToken | undefined> {
  return await findMailToken(db, purpose, hashToken(token), nowIso);
}
