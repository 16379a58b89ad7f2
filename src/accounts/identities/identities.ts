import { GatewayError } from '../../base/errors.ts';
import { type Db, listRows, takeRow } from '../../store/database/rows.ts';
import { findAccount } from '../../store/people/accounts.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';

/**
 * Unlinks an identity. Throws `identity_not_found`, or `last_sign_in` when the account would have no way left to sign
 * in.
 */
export async function unlinkIdentity(db: Db, actor: Actor, identityId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const removed = await takeRow(trx, 'identities', { accountId: actor.accountId, id: identityId });
    if (!removed) throw new GatewayError('identity_not_found');
    await assertCanSignIn(trx, actor.accountId);
    await audit(trx, actor, {
      action: 'identity.unlink',
      subject: identityId,
      detail: { provider: removed.provider },
    });
  });
}

async function assertCanSignIn(db: Db, accountId: string): Promise<void> {
  const account = await findAccount(db, accountId);
  const hasPassword = Boolean(account?.passwordHash && account.email);
  if (!hasPassword && (await listRows(db, 'identities', { accountId }, ['createdAt', 'id'])).length === 0) {
    throw new GatewayError('last_sign_in');
  }
}
