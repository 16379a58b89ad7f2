import { type Address, directAddress } from '../../base/address.ts';
import { loginOfKey } from '../../base/login-ref.ts';
import type { Platform } from '../../base/platform.ts';
import type { Db } from '../../store/database/tables.ts';
import { findConnectionOfUser } from '../../store/logins/login-connections.ts';

/**
 * Returns the direct conversation of a person with the login that their connection by OAuth is, or is linked to. Null:
 * the person has not connected an account of the platform.
 */
export async function addressOfUser(
  db: Db,
  platform: Platform,
  providerUserId: string,
): Promise<Address | null> {
  const connection = await findConnectionOfUser(db, platform, providerUserId);
  if (!connection) return null;
  const { id, loginKey, remoteId } = connection;
  return directAddress(loginOfKey(loginKey ?? id), remoteId ?? providerUserId);
}

/**
 * Returns where messages of an address belong. A bridge that knows only the person of a direct conversation means the
 * login of their own connection.
 */
export async function resolved(db: Db, platform: Platform, from: Address): Promise<Address> {
  if (from.login.kind !== 'shared' || from.space.kind !== 'direct') return from;
  const own = await addressOfUser(db, platform, from.space.id);
  return own === null ? from : { ...own, thread: from.thread };
}
