import { GatewayError } from '../base/errors.ts';
import {
  deleteAuthorization,
  findAuthorization,
  type ListedAuthorization,
  listAuthorizations,
} from '../store/keys/mcp-authorizations.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';

/** What the account lets MCP clients do, the oldest first. */
export async function accountAuthorizations(
  { store }: AuthorizationDomain,
  accountId: string,
): Promise<ListedAuthorization[]> {
  return await listAuthorizations(store.db, accountId);
}

/**
 * Lets a client do nothing more: by the time this resolves its tokens open nothing, what it had open is closed, and it is
 * in no agent. Throws `authorization_not_found`.
 */
export async function revokeAuthorization(
  { store, clock, grants }: AuthorizationDomain,
  actor: Actor,
  clientId: string,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const found = await findAuthorization(trx, actor.accountId, clientId);
    if (!found) throw new GatewayError('authorization_not_found');
    await deleteAuthorization(trx, found.id);
    const detail = { client: found.clientName };
    await audit(trx, actor, {
      action: 'mcp_authorization.revoke',
      subject: clientId,
      detail,
      createdAt: clock.nowIso(),
    });
  });
  await grants.refresh(actor.accountId);
}
