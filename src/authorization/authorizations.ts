import { GatewayError } from '../base/errors.ts';
import { deleteRows } from '../store/database/rows.ts';
import { findAuthorization } from '../store/keys/mcp-authorizations.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';

/**
 * Revokes a client's authorization and removes the client from all agents. When this resolves, its tokens are invalid
 * and its connections are closed. Throws `authorization_not_found`.
 */
export async function revokeAuthorization(
  { store, grants }: AuthorizationDomain,
  actor: Actor,
  clientId: string,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const found = await findAuthorization(trx, actor.accountId, clientId);
    if (!found) throw new GatewayError('authorization_not_found');
    await deleteRows(trx, 'mcpAuthorizations', { id: found.id });
    const detail = { client: found.clientName };
    await audit(trx, actor, { action: 'mcp_authorization.revoke', subject: clientId, detail });
  });
  await grants.refresh(actor.accountId);
}
