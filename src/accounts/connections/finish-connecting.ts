import { cutText } from '../../base/cut-text.ts';
import { GatewayError } from '../../base/errors.ts';
import { hashToken } from '../../base/ids.ts';
import type { Platform } from '../../base/platform.ts';
import { answeredWithin } from '../../base/time.ts';
import type { FreshTokens, RemoteIdentity } from '../../connectors/contract/oauth.ts';
import { findUnexpired } from '../../store/database/rows.ts';
import { type PendingConnection, takeConnectionState } from '../../store/logins/connection-states.ts';
import type { StoredTokens } from '../../store/logins/login-connections.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import { namelessOwner } from './connection-owner.ts';
import { requireStillAllowed } from './connection-state.ts';
import type { Connections } from './connections.ts';
import { handOver } from './hand-over.ts';
import { callbackUrl, type OfferedPlatform, offeredPlatform } from './offered-platform.ts';
import { platformWords } from './platform-words.ts';
import { type Grant, settleConnection } from './settle-connection.ts';
import { askForTokens, REQUEST_DEADLINE_MS, type TokenAnswer } from './token-endpoint.ts';

const MAX_ID_LENGTH = 256;
const MAX_LABEL_LENGTH = 120;

/** What a browser brings back from a platform. */
export interface BroughtBack {
  readonly state: string;
  readonly code: string;
  /** The platform's error; '' when it did not refuse. */
  readonly error: string;
  readonly errorDescription: string;
  /** The person signed in with this browser; null: no one. */
  readonly session: Actor | null;
  /** Whether the person has confirmed which account of the gateway will be connected. */
  readonly isConfirmed: boolean;
}

/** What a person is asked before a connection that a program started is made. */
export interface ConnectQuestion {
  readonly platform: Platform;
  /** The account of the gateway that would be connected, by what its owner has proven: names can be made up. */
  readonly owner: string;
}

export interface FinishedConnection {
  readonly connectionId: string;
  readonly returnTo: string | null;
}

/**
 * Returns what to ask the person first; null when nothing has to be asked. A connection that was started with a settings
 * key is not tied to a browser, so its URL could be given to someone else, who would connect their own account of the
 * platform to the key's account. That person is therefore told so, unless they are signed in to that account. The
 * question uses nothing up.
 */
export async function connectQuestion(
  connections: Connections,
  name: string,
  { state, error, session }: Pick<BroughtBack, 'state' | 'error' | 'session'>,
): Promise<ConnectQuestion | null> {
  const { platform } = offeredPlatform(connections, name);
  const { store, clock } = connections;
  const stateHash = hashToken(state);
  const pending = await findUnexpired(store.db, 'connectionStates', { stateHash }, clock.nowIso());
  const isAsked = pending?.provider === platform && pending.credentialKind === 'settings' && session === null;
  if (!isAsked || error !== '') return null;
  return { platform, owner: pending.email ?? (await namelessOwner(store.db, pending.accountId)) };
}

/**
 * Completes a connection: checks the state, exchanges the code, reads whose account it is and stores the connection.
 * This works once, whatever the outcome. Throws `oauth_not_offered`, `platform_not_configured`, `connect_unknown`,
 * `connect_refused` with the platform's words, `platform_failed`, `email_not_verified`, `connection_taken`,
 * `connection_differs`, `cap_reached`.
 */
export async function finishConnecting(
  connections: Connections,
  name: string,
  brought: BroughtBack,
): Promise<FinishedConnection> {
  const offered = offeredPlatform(connections, name);
  const { store, clock, tokens } = connections;
  const { platform } = offered;
  const pending = await takeConnectionState(
    store.db,
    store.secrets,
    hashToken(brought.state),
    clock.nowIso(),
  );
  if (pending?.provider !== platform || !isOwn(pending, brought)) throw new GatewayError('connect_unknown');
  await requireStillAllowed(store.db, pending);
  requireCode(brought);
  const { tokens: fresh, ...granted } = await exchange(connections, offered, pending, brought.code);
  const identity = await identify(connections, offered, fresh);
  const credentials: StoredTokens = { accessToken: fresh.accessToken, refreshToken: fresh.refreshToken };
  const grant: Grant = { platform, identity, credentials, ...granted };
  const connection = await store.db.transaction().execute(async (trx) => {
    // The credential or the address may have been revoked during the exchange.
    await requireStillAllowed(trx, pending);
    return await settleConnection(connections, trx, pending, grant);
  });
  tokens.get(platform)?.forget(connection.id);
  connections.wake(connection.accountId);
  handOver(connections, offered.oauth, connection);
  return { connectionId: connection.id, returnTo: pending.returnTo };
}

/** A session's connection is completed in that session; a key's by its account, or by someone who has confirmed it. */
function isOwn(pending: PendingConnection, { session, isConfirmed, error }: BroughtBack): boolean {
  const isSameAccount = session?.accountId === pending.accountId;
  if (pending.credentialKind === 'session')
    return isSameAccount && session?.credentialId === pending.credentialId;
  // A refusal connects nothing, so it needs no confirmation.
  return session === null ? isConfirmed || error !== '' : isSameAccount;
}

function requireCode({ error, errorDescription, code }: BroughtBack): void {
  if (error !== '') throw refusal(platformWords([error, errorDescription]));
  if (code === '') throw refusal('it sent no code');
}

function refusal(words: string): GatewayError {
  return new GatewayError('connect_refused', `The platform did not approve the connection: ${words}`);
}

async function exchange(
  connections: Connections,
  { client, platform }: OfferedPlatform,
  { codeVerifier }: PendingConnection,
  code: string,
): Promise<Extract<TokenAnswer, { kind: 'granted' }>> {
  const answer = await askForTokens(client, connections.clock, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl(connections, platform),
    ...(codeVerifier === null ? {} : { code_verifier: codeVerifier }),
  });
  if (answer.kind === 'granted') return answer;
  connections.onFailure(platform, 'a code could not be exchanged', answer.reason);
  throw answer.kind === 'refused'
    ? refusal(answer.reason)
    : new GatewayError('platform_failed', answer.reason);
}

/** Asks the connector whose tokens these are. */
async function identify(
  connections: Connections,
  { oauth, platform, client }: OfferedPlatform,
  tokens: FreshTokens,
): Promise<RemoteIdentity> {
  try {
    // A connector may not follow its signal.
    return checked(
      await answeredWithin(connections.clock, REQUEST_DEADLINE_MS, tooLate, (signal) =>
        oauth.identify(tokens, signal),
      ),
    );
  } catch (error) {
    const secrets = [tokens.accessToken, tokens.refreshToken ?? '', client.clientSecret];
    const words = platformWords([error instanceof Error ? error.message : `${error}`], secrets);
    connections.onFailure(platform, 'an account could not be identified', words);
    if (!(error instanceof GatewayError)) throw new GatewayError('platform_failed');
    throw error.code === 'connect_refused' ? refusal(words) : new GatewayError('platform_failed', words);
  }
}

function tooLate(): GatewayError {
  return new GatewayError('platform_failed', 'The platform did not answer in time');
}

function checked({ providerUserId, label, email, person }: RemoteIdentity): RemoteIdentity {
  if (providerUserId === '' || providerUserId.length > MAX_ID_LENGTH)
    throw new GatewayError('platform_failed');
  const shown = cutText(platformWords([label]), MAX_LABEL_LENGTH) || providerUserId;
  return { providerUserId, label: shown, email, person };
}
