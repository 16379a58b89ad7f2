import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { SHARED_LOGIN } from '../../base/login-ref.ts';
import type { Platform } from '../../base/platform.ts';
import type { RemoteIdentity } from '../../connectors/contract/oauth.ts';
import { changeRows, countRows, insertRow } from '../../store/database/rows.ts';
import type { Db } from '../../store/database/tables.ts';
import type { PendingConnection } from '../../store/logins/connection-states.ts';
import {
  findConnectionOfUser,
  findLoginConnection,
  type LoginConnection,
  sealCredentials,
} from '../../store/logins/login-connections.ts';
import { audit } from '../../store/people/audit-log.ts';
import { assertBelow, CAPS } from '../account/caps.ts';
import { joinDefaultAgent } from '../account/default-agent.ts';
import { expiryOf } from './access-tokens.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { announceStatus, CONNECTED } from './connection-status.ts';

/** What a platform granted, and to whom. */
export interface Grant {
  readonly platform: Platform;
  readonly identity: RemoteIdentity;
  /** The tokens, or what a pairing has brought. */
  readonly credentials: unknown;
  readonly expiresInS: number | null;
  readonly scope: string | null;
}

/** What a connection is made for: the account, the credential that started, and the connection to renew. */
export type Cause = Pick<PendingConnection, 'accountId' | 'credentialKind' | 'credentialId' | 'connectionId'>;

/**
 * Stores a connection and returns it: a new one, which joins the default agent, or the account's former one to the same
 * account of the platform, renewed. Run it in a transaction. Throws `connection_taken`, `connection_differs`,
 * `connect_unknown` (the connection to renew is gone), `cap_reached`.
 */
export async function settleConnection(
  deps: Pick<ConnectionDeps, 'store' | 'clock'>,
  trx: Db,
  cause: Cause,
  grant: Grant,
): Promise<LoginConnection> {
  const { accountId } = cause;
  const known = await requireOwn(trx, cause, grant);
  const id = known?.id ?? newId('con');
  const nowIso = deps.clock.nowIso();
  const { email, label, person } = grant.identity;
  const renewal = {
    email,
    label,
    loginKey: person?.login === 'shared' ? SHARED_LOGIN : null,
    remoteId: person?.id ?? null,
    status: CONNECTED,
    scopes: grant.scope,
    expiresAt: expiryOf(nowIso, grant.expiresInS),
    sealedCredentials: sealCredentials(deps.store.secrets, id, grant.credentials),
    updatedAt: nowIso,
  };
  if (known) await changeRows(trx, 'connections', { id }, renewal);
  else await insert(trx, { ...renewal, ...newConnection(id, accountId, grant), createdAt: nowIso });
  const actor = { accountId, kind: cause.credentialKind, credentialId: cause.credentialId };
  await audit(trx, actor, {
    action: known ? 'connection.renew' : 'connection.create',
    subject: id,
    detail: { provider: grant.platform, label },
  });
  const connection = (await findLoginConnection(trx, grant.platform, id))!;
  await announceStatus(trx, connection, nowIso);
  return connection;
}

/**
 * Returns the account's own connection to this account of the platform; undefined: there is none. Nobody gets another
 * account's connection by signing in at the platform: its messages and calls belong to one account of the gateway.
 */
async function requireOwn(
  trx: Db,
  { accountId, connectionId }: Cause,
  { platform, identity: { providerUserId } }: Grant,
): Promise<LoginConnection | undefined> {
  const known = await findConnectionOfUser(trx, platform, providerUserId);
  if (known && known.accountId !== accountId) throw new GatewayError('connection_taken');
  if (connectionId === null || known?.id === connectionId) return known;
  const isGone = (await findLoginConnection(trx, platform, connectionId)) === undefined;
  throw new GatewayError(isGone ? 'connect_unknown' : 'connection_differs');
}

function newConnection(id: string, accountId: string, { platform, identity: { providerUserId } }: Grant) {
  return { id, accountId, provider: platform, providerUserId };
}

async function insert(
  trx: Db,
  { sealedCredentials, ...connection }: Omit<LoginConnection, 'provider'> & { readonly provider: Platform },
): Promise<void> {
  const { id, accountId, createdAt } = connection;
  assertBelow(CAPS.connections, await countRows(trx, 'connections', { accountId }), 'connections');
  await insertRow(trx, 'connections', { ...connection, sealedCredentials });
  await joinDefaultAgent(trx, accountId, { type: 'connection', id }, createdAt);
}
