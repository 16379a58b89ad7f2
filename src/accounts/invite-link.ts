import { hash, randomBytes } from 'node:crypto';
import { type Actor, audit } from '../store/audit-log.ts';
import { putInviteLink } from '../store/invite-links.ts';
import type { AccountDomain } from './account-domain.ts';

/** Specification, "Limits". */
const VALID_MS = 15 * 60_000;
const TOKEN_BYTES = 24;

export interface MadeInvite {
  /** Known now and never again: only its hash is kept. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** Makes the account's invite token, by which a contact is told to be its own; the former one is void. */
export async function makeInviteLink({ store, clock }: AccountDomain, actor: Actor): Promise<MadeInvite> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = clock.nowIso();
  const expiresAt = new Date(Date.parse(createdAt) + VALID_MS).toISOString();
  const tokenHash = hash('sha256', token, 'hex');
  await store.db.transaction().execute(async (trx) => {
    await putInviteLink(trx, { accountId: actor.accountId, tokenHash, createdAt, expiresAt });
    await audit(trx, actor, 'invite_link.create', null, { expiresAt });
  });
  return { token, expiresAt };
}
