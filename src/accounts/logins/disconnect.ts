import { GatewayError } from '../../base/errors.ts';
import { detachMemberEverywhere } from '../../store/agents/agents.ts';
import { deleteConnection } from '../../store/logins/oauth-connections.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** Deletes a connection to a platform and removes it from every agent. Throws `connection_not_found`. */
export async function disconnect(
  { store }: AccountDomain,
  actor: Actor,
  connectionId: string,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const connection = await deleteConnection(trx, actor.accountId, connectionId);
    if (!connection) throw new GatewayError('connection_not_found');
    await detachMemberEverywhere(trx, { type: 'connection', id: connectionId });
    const { provider, label } = connection;
    await audit(trx, actor, {
      action: 'connection.delete',
      subject: connectionId,
      detail: { provider, label },
    });
  });
}
