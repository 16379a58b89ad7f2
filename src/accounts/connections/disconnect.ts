import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { deleteRows, takeRow } from '../../store/database/rows.ts';
import { hasCredentials, openTokens, type SealedConnection } from '../../store/logins/login-connections.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { Connections } from './connections.ts';
import { openPaired } from './paired-connection.ts';
import { tellConnector } from './tell-connector.ts';
import { revokeTokens } from './token-endpoint.ts';

const DISCONNECTED = 'the connection to the platform was deleted';
const NOT_ENDED = 'a connection could not be ended';

/**
 * Deletes a connection to a platform and removes it from every agent. Then its live calls end, its connector is told,
 * and the platform is asked to withdraw the access, for at most 5 s. Throws `connection_not_found`.
 */
export async function disconnect(
  connections: Connections,
  actor: Actor,
  connectionId: string,
): Promise<void> {
  const gone = await connections.store.db.transaction().execute(async (trx) => {
    const connection = await takeRow(trx, 'connections', { accountId: actor.accountId, id: connectionId });
    if (!connection) throw new GatewayError('connection_not_found');
    await deleteRows(trx, 'agentAccounts', { memberType: 'connection', memberId: connectionId });
    const { provider, label } = connection;
    await audit(trx, actor, {
      action: 'connection.delete',
      subject: connectionId,
      detail: { provider, label },
    });
    return connection;
  });
  await endConnection(connections, gone);
}

/** Ends what still uses a connection whose row is gone. Never rejects. */
export async function endConnection(connections: Connections, gone: SealedConnection): Promise<void> {
  const platform = gone.provider as Platform;
  // The calls may still need an access token, which stays in memory until they are over.
  await connections.endCalls(gone.accountId, gone.id, DISCONNECTED);
  if (!hasCredentials(gone)) return;
  const { oauth, pairing } = connections.connectors.get(platform)?.provides ?? {};
  if (pairing !== undefined) {
    const paired = openPaired(connections.store.secrets, gone);
    if (paired !== null) tellConnector(connections, platform, NOT_ENDED, () => pairing.disconnected(paired));
  }
  if (oauth === undefined) return;
  connections.tokens.get(platform)?.forget(gone.id);
  tellConnector(connections, platform, NOT_ENDED, () => oauth.disconnected?.(gone.id));
  const tokens = openTokens(connections.store.secrets, gone);
  if (tokens !== null) await revokeTokens(connections, platform, tokens);
}
