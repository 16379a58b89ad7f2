import type { PairedConnection } from '../../connectors/contract/pairing.ts';
import { type LoginConnection, openCredentials } from '../../store/logins/login-connections.ts';
import type { SecretBox } from '../../store/secrets/secret-box.ts';

/** What a connection by pairing has as `providerUserId`, so that an account has one connection to a server. */
export function pairedUserId(accountId: string, server: string): string {
  return `${accountId}@${server}`;
}

/** Returns a stored connection as its connector sees it. Null: the credentials were sealed with another master key. */
export function openPaired(secrets: SecretBox, connection: LoginConnection): PairedConnection | null {
  const credentials = openCredentials(secrets, connection);
  if (credentials === null) return null;
  const { id, accountId, label, remoteId, providerUserId } = connection;
  const server = providerUserId.slice(pairedUserId(accountId, '').length);
  return { id, accountId, server, label, personId: remoteId, credentials };
}
