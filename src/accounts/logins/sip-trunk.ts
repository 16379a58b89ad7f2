import { GatewayError } from '../../base/errors.ts';
import type { Registration } from '../../connectors/contract/sip-accounts.ts';
import { deleteTrunk, findTrunk, putTrunk, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import { newInboundToken, type SipAccounts, type SipSetup, tellTrunk } from './sip-accounts.ts';

/** What an account wants its trunk to be; `password` null: the one that is stored for the same login at the same host. */
export interface WantedTrunk extends Omit<StoredTrunk, 'accountId' | 'password' | 'inboundToken'> {
  readonly password: string | null;
}

/** A trunk as it is shown: without its password, with the URI that rings it and how its registration goes. */
export interface ShownTrunk extends Omit<StoredTrunk, 'accountId' | 'password' | 'inboundToken'> {
  readonly inboundUri: string | null;
  readonly registration: Registration;
}

/**
 * Adds or replaces the account's trunk. Null: no password was given and none is stored for this login. Throws
 * `email_not_verified` or `too_many_trunk_changes`.
 */
export async function putSipTrunk(
  sip: SipSetup,
  actor: Actor,
  wanted: WantedTrunk,
): Promise<ShownTrunk | null> {
  const { accountId } = actor;
  const { db, secrets } = sip.store;
  await requireVerifiedAddress(db, accountId);
  const trunk = await db.transaction().execute(async (trx) => {
    const sameLogin = ofSameLogin(await findTrunk(trx, secrets, accountId), wanted);
    const password = wanted.password ?? sameLogin?.password;
    if (password === undefined) return null;
    sip.trunkChanges.count(accountId);
    // A server that is no longer the account's must not ring it with what it was told.
    const inboundToken = sameLogin?.inboundToken || newInboundToken();
    const complete = { ...wanted, accountId, password, inboundToken };
    await putTrunk(trx, secrets, complete, sip.clock.nowIso());
    const { password: given, ...plain } = wanted;
    await audit(trx, actor, {
      action: 'sip_trunk.put',
      subject: null,
      detail: { ...plain, newPassword: given !== null },
    });
    return complete;
  });
  if (!trunk) return null;
  await tellTrunk(sip, trunk);
  return shown(sip, trunk);
}

/** Secrets are for one login at one host: nobody may point them at another without knowing them. */
function ofSameLogin(stored: StoredTrunk | undefined, wanted: WantedTrunk): StoredTrunk | undefined {
  return stored?.host === wanted.host && stored.username === wanted.username ? stored : undefined;
}

/** Throws `trunk_not_found`. */
export async function getSipTrunk(sip: SipAccounts, accountId: string): Promise<ShownTrunk> {
  const trunk = await findTrunk(sip.store.db, sip.store.secrets, accountId);
  if (!trunk) throw new GatewayError('trunk_not_found');
  return shown(sip, trunk);
}

/** Unregisters and forgets the trunk; its numbers stay listed. Throws `trunk_not_found`. */
export async function deleteSipTrunk(sip: SipAccounts, actor: Actor): Promise<void> {
  await sip.store.db.transaction().execute(async (trx) => {
    if (!(await deleteTrunk(trx, actor.accountId))) throw new GatewayError('trunk_not_found');
    await audit(trx, actor, { action: 'sip_trunk.delete', subject: null });
  });
  sip.directory.removeTrunk(actor.accountId);
}

function shown({ directory }: SipAccounts, trunk: StoredTrunk): ShownTrunk {
  const { password: _password, inboundToken: _token, accountId, ...plain } = trunk;
  return {
    ...plain,
    inboundUri: directory.inboundUri(accountId),
    registration: directory.registration(accountId),
  };
}
