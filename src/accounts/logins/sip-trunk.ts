import { GatewayError } from '../../base/errors.ts';
import type { Registration } from '../../connectors/contract/sip-accounts.ts';
import { deleteRows } from '../../store/database/rows.ts';
import { findTrunk, putTrunk, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import {
  isOperatorsAccount,
  newInboundToken,
  notifyTrunkChanged,
  type SipAccounts,
  type SipSetup,
} from './sip-accounts.ts';

/** New settings of an account's trunk. `password` null: the stored one, if host and username are unchanged. */
export interface WantedTrunk extends Omit<StoredTrunk, 'accountId' | 'password' | 'inboundToken'> {
  readonly password: string | null;
}

/** A trunk without its password, with its inbound URI and the state of its registration. */
export interface ShownTrunk extends Omit<StoredTrunk, 'accountId' | 'password' | 'inboundToken'> {
  readonly inboundUri: string | null;
  readonly registration: Registration;
}

/**
 * Adds or replaces the account's trunk. Returns null when no password was given and none is stored for this login.
 * Throws `email_not_verified`, `server_blocked` or `too_many_trunk_changes`.
 */
export async function putSipTrunk(
  sip: SipSetup,
  actor: Actor,
  wanted: WantedTrunk,
): Promise<ShownTrunk | null> {
  const { accountId } = actor;
  const { db, secrets } = sip.store;
  await requireVerifiedAddress(db, accountId);
  await assertMayUse(sip, accountId, wanted.host);
  const trunk = await db.transaction().execute(async (trx) => {
    const sameLogin = ofSameLogin(await findTrunk(trx, secrets, accountId), wanted);
    const password = wanted.password ?? sameLogin?.password;
    if (password === undefined) return null;
    sip.trunkChanges.count(accountId);
    // A new login gets a new token, so that the former server cannot ring the account.
    const inboundToken = sameLogin?.inboundToken || newInboundToken();
    const complete = { ...wanted, accountId, password, inboundToken };
    await putTrunk(trx, secrets, complete, sip.clock.nowIso());
    const { password: given, ...plain } = wanted;
    await audit(trx, actor, { action: 'sip_trunk.put', detail: { ...plain, newPassword: given !== null } });
    return complete;
  });
  if (!trunk) return null;
  await notifyTrunkChanged(sip, trunk);
  return shown(sip, trunk);
}

async function assertMayUse(
  { store, directory }: SipAccounts,
  accountId: string,
  host: string,
): Promise<void> {
  if (directory.mayUse(host, await isOperatorsAccount(store.db, accountId))) return;
  throw new GatewayError('server_blocked', `A trunk may not have the address ${host} (SVC_SIP_TRUNK_ALLOW)`);
}

/**
 * Returns the stored trunk if host and username are unchanged. Otherwise anyone with access could send its secrets to
 * another host without knowing them.
 */
function ofSameLogin(stored: StoredTrunk | undefined, wanted: WantedTrunk): StoredTrunk | undefined {
  return stored?.host === wanted.host && stored.username === wanted.username ? stored : undefined;
}

/** Returns the account's trunk. Throws `trunk_not_found`. */
export async function getSipTrunk(sip: SipAccounts, accountId: string): Promise<ShownTrunk> {
  const trunk = await findTrunk(sip.store.db, sip.store.secrets, accountId);
  if (!trunk) throw new GatewayError('trunk_not_found');
  return shown(sip, trunk);
}

/** Unregisters and deletes the trunk. Its numbers stay listed. Throws `trunk_not_found`. */
export async function deleteSipTrunk(sip: SipAccounts, actor: Actor): Promise<void> {
  await sip.store.db.transaction().execute(async (trx) => {
    if (!(await deleteRows(trx, 'sipTrunks', { accountId: actor.accountId })))
      throw new GatewayError('trunk_not_found');
    await audit(trx, actor, { action: 'sip_trunk.delete' });
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
