import { GatewayError } from '../base/errors.ts';
import type { Registration, SipTrunk } from '../connectors/contract/sip-accounts.ts';
import { type Actor, audit } from '../store/audit-log.ts';
import { deleteTrunk, findTrunk, putTrunk } from '../store/sip-trunks.ts';
import type { SipAccounts } from './sip-accounts.ts';

/** What an account wants its trunk to be; `password` null: the one that is stored for the same login at the same host. */
export interface WantedTrunk extends Omit<SipTrunk, 'accountId' | 'password'> {
  readonly password: string | null;
}

/** A trunk as it is shown: without its password, with how its registration goes. */
export interface ShownTrunk extends Omit<SipTrunk, 'accountId' | 'password'> {
  readonly registration: Registration;
}

/** Adds or replaces the account's trunk. Null: no password was given and none is stored for this login. */
export async function putSipTrunk(
  sip: SipAccounts,
  actor: Actor,
  wanted: WantedTrunk,
): Promise<ShownTrunk | null> {
  const { accountId } = actor;
  const { db, secrets } = sip.store;
  const trunk = await db.transaction().execute(async (trx) => {
    const password = wanted.password ?? storedPassword(await findTrunk(trx, secrets, accountId), wanted);
    if (password === undefined) return null;
    const complete = { ...wanted, accountId, password };
    await putTrunk(trx, secrets, complete, sip.clock.nowIso());
    const { password: given, ...plain } = wanted;
    await audit(trx, actor, 'sip_trunk.put', null, { ...plain, newPassword: given !== null });
    return complete;
  });
  if (!trunk) return null;
  sip.directory.putTrunk(trunk);
  return shown(sip, trunk);
}

/** A stored password is for one login at one host: nobody may point it at another without knowing it. */
function storedPassword(stored: SipTrunk | undefined, wanted: WantedTrunk): string | undefined {
  return stored?.host === wanted.host && stored.username === wanted.username ? stored.password : undefined;
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
    await audit(trx, actor, 'sip_trunk.delete', null);
  });
  sip.directory.removeTrunk(actor.accountId);
}

function shown(sip: SipAccounts, trunk: SipTrunk): ShownTrunk {
  const { password: _password, accountId, ...plain } = trunk;
  return { ...plain, registration: sip.directory.registration(accountId) };
}
