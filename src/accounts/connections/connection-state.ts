import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { isoAfter } from '../../base/time.ts';
import { hashToken, newToken } from '../../base/tokens.ts';
import type { Db } from '../../store/database/tables.ts';
import { findKey } from '../../store/keys/keys.ts';
import { insertConnectionState, type PendingConnection } from '../../store/logins/connection-states.ts';
import { findLoginConnection, type LoginConnection } from '../../store/logins/login-connections.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import { hasSession } from '../../store/people/sessions.ts';
import { requireVerifiedAddress } from '../people/verified-address.ts';
import type { ConnectionDeps } from './connection-deps.ts';

/** How long a person has at the platform. */
const DEADLINE_MS = 600_000;
/** Visits in progress per account. A new one voids the oldest. */
const MAX_PENDING = 20;

/** Who may start: a person in a browser, or a program with a settings key. */
export interface Starter extends Actor {
  readonly kind: 'session' | 'settings';
}

/** What a person is sent to a platform for. */
export type Visit = Pick<
  PendingConnection,
  'provider' | 'connectionId' | 'returnTo' | 'codeVerifier' | 'server'
>;

/**
 * Stores a visit to a platform and returns its state, which works once and for 10 minutes. Run it in a transaction.
 * Throws `email_not_verified`.
 */
export async function openState(
  { store: { secrets }, clock }: Pick<ConnectionDeps, 'store' | 'clock'>,
  trx: Db,
  { accountId, kind, credentialId }: Starter,
  visit: Visit,
): Promise<string> {
  await requireVerifiedAddress(trx, accountId);
  const state = newToken();
  const createdAt = clock.nowIso();
  const email = (await findAccount(trx, accountId))?.email ?? null;
  const pending = {
    stateHash: hashToken(state),
    accountId,
    email,
    credentialKind: kind,
    credentialId,
    ...visit,
    createdAt,
    expiresAt: isoAfter(createdAt, DEADLINE_MS),
  };
  await insertConnectionState(trx, secrets, pending, MAX_PENDING);
  return state;
}

/** Returns an account's connection to a platform. Throws `connection_not_found`. */
export async function ownConnection(
  db: Db,
  accountId: string,
  platform: Platform,
  connectionId: string,
): Promise<LoginConnection> {
  const connection = await findLoginConnection(db, platform, connectionId);
  if (connection?.accountId !== accountId) throw new GatewayError('connection_not_found');
  return connection;
}

/** Throws when the account, its address or the credential that started is no longer what it was. */
export async function requireStillAllowed(db: Db, pending: PendingConnection): Promise<void> {
  const { accountId, credentialKind, credentialId } = pending;
  const account = await findAccount(db, accountId);
  const isValid =
    credentialKind === 'session'
      ? await hasSession(db, credentialId)
      : (await findKey(db, accountId, 'settings', credentialId)) !== undefined;
  if (!isValid || account?.email !== pending.email) throw new GatewayError('connect_unknown');
  await requireVerifiedAddress(db, accountId);
}
