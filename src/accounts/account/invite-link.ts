import { hashToken, newToken } from '../../base/ids.ts';
import { isoAfter } from '../../base/time.ts';
import { countRows, putRow } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { AccountDomain } from './account-domain.ts';
import { assertBelow, CAPS } from './caps.ts';

/** Specification, "Limits". */
const VALID_MS = 15 * 60_000;
const TOKEN_BYTES = 24;

export interface MadeInvite {
  /** Only known now: the database stores its hash. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Creates the account's invite token, which binds a contact to the account, and voids the previous one. Throws
 * `email_not_verified` and `cap_reached`.
 */
export async function makeInviteLink({ store, clock }: AccountDomain, actor: Actor): Promise<MadeInvite> {
  const { accountId } = actor;
  const token = newToken(TOKEN_BYTES);
  const createdAt = clock.nowIso();
  const expiresAt = isoAfter(createdAt, VALID_MS);
  const tokenHash = hashToken(token);
  await store.db.transaction().execute(async (trx) => {
    await requireVerifiedAddress(trx, accountId);
    // Each link creates at most one connection.
    assertBelow(CAPS.connections, await countRows(trx, 'connections', { accountId }), 'connections');
    await putRow(trx, 'inviteLinks', { accountId, tokenHash, createdAt, expiresAt }, { key: ['accountId'] });
    await audit(trx, actor, { action: 'invite_link.create', detail: { expiresAt } });
  });
  return { token, expiresAt };
}
