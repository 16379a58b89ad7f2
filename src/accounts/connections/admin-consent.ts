import { GatewayError } from '../../base/errors.ts';
import type { Platform } from '../../base/platform.ts';
import { hashToken } from '../../base/tokens.ts';
import type { AdminAnswer, AsksAdmins } from '../../connectors/contract/admin-consent.ts';
import { type PendingConnection, takeConnectionState } from '../../store/logins/connection-states.ts';
import { type LoginConnection, openTokens } from '../../store/logins/login-connections.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { openState, ownConnection, requireStillAllowed, type Starter } from './connection-state.ts';
import { CONNECTED, keepStatus } from './connection-status.ts';
import { offeredPlatform } from './offered-platform.ts';
import { platformWords } from './platform-words.ts';

/** The name under which a platform's consent of administrators has its endpoints and states. */
export function adminConsentName(platform: Platform) {
  return `${platform}-admin-consent` as const;
}

/**
 * Returns the URL at which an administrator approves the gateway for the organization of one connection, once and
 * within 10 minutes. Throws `platform_not_configured`, `email_not_verified`, `connection_not_found`.
 */
export async function startAdminConsent(
  deps: ConnectionDeps,
  starter: Starter,
  platform: Platform,
  connectionId: string,
): Promise<string> {
  const admins = adminsOf(deps, platform);
  const { connection, state } = await deps.store.db.transaction().execute(async (trx) => {
    const connection = await ownConnection(trx, starter.accountId, platform, connectionId);
    const provider = adminConsentName(platform);
    const visit = { provider, connectionId, returnTo: null, codeVerifier: null, server: null };
    return { connection, state: await openState(deps, trx, starter, visit) };
  });
  return admins.consentUrl({
    organization: admins.organizationOf(connection.providerUserId),
    redirectUri: `${deps.publicUrl()}/api/oauth/${adminConsentName(platform)}/callback`,
    state,
  });
}

/** What a browser brings back from a platform's administrators. */
export interface BroughtConsent {
  readonly state: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The person signed in with this browser; null: no one. */
  readonly session: Actor | null;
}

/**
 * Completes the consent of an administrator. The connection that it was asked for, and no other, gets the status `ok`,
 * or the reason of the refusal. This works once, whatever the outcome. Throws `connect_unknown`, `connect_refused`.
 */
export async function finishAdminConsent(
  deps: ConnectionDeps,
  platform: Platform,
  brought: BroughtConsent,
): Promise<void> {
  const admins = adminsOf(deps, platform);
  const { db, secrets } = deps.store;
  const pending = await takeConnectionState(db, secrets, hashToken(brought.state), deps.clock.nowIso());
  if (pending?.provider !== adminConsentName(platform) || !isOwn(pending, brought.session))
    throw new GatewayError('connect_unknown');
  const answer = admins.readAnswer(brought.parameters);
  const connection = await settle(deps, admins, pending, { platform, answer });
  if (answer.kind === 'refused') {
    const words = platformWords([answer.reason]);
    await keepStatus(deps, platform, connection.id, words);
    throw new GatewayError('connect_refused', words);
  }
  // Without tokens, its owner still has to renew it.
  if (openTokens(secrets, connection) !== null) await keepStatus(deps, platform, connection.id, CONNECTED);
}

/**
 * A session's consent is completed in that session. That of a settings key may be completed by an administrator who has
 * no session here: it gives nobody access to anything of theirs that this gateway did not already ask for.
 */
function isOwn(
  { accountId, credentialKind, credentialId }: PendingConnection,
  session: Actor | null,
): boolean {
  if (credentialKind === 'session')
    return session?.accountId === accountId && session.credentialId === credentialId;
  return session === null || session.accountId === accountId;
}

/** Checks who approved, records it, and returns the connection. */
async function settle(
  { store }: ConnectionDeps,
  admins: AsksAdmins,
  pending: PendingConnection,
  { platform, answer }: { readonly platform: Platform; readonly answer: AdminAnswer },
): Promise<LoginConnection> {
  const { accountId, credentialKind: kind, credentialId } = pending;
  return await store.db.transaction().execute(async (trx) => {
    await requireStillAllowed(trx, pending);
    const connection = await ownConnection(trx, accountId, platform, pending.connectionId ?? '');
    const organization = admins.organizationOf(connection.providerUserId);
    if (answer.kind === 'approved' && answer.organization !== organization)
      throw new GatewayError(
        'connect_refused',
        'The administrator approved for another organization than that of the connection',
      );
    const action = answer.kind === 'approved' ? 'connection.approve' : 'connection.disapprove';
    const detail = { provider: platform, organization };
    await audit(trx, { accountId, kind, credentialId }, { action, subject: connection.id, detail });
    return connection;
  });
}

function adminsOf(deps: ConnectionDeps, platform: Platform): AsksAdmins {
  const { adminConsent } = offeredPlatform(deps, platform).oauth;
  if (adminConsent === undefined) throw new GatewayError('oauth_not_offered');
  return adminConsent;
}
