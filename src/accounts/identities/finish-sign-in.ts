import { GatewayError } from '../../base/errors.ts';
import { isSameSecret } from '../../base/same-secret.ts';
import { hashToken } from '../../base/tokens.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import { type PendingSignIn, takeSignIn } from '../../store/people/sign-ins.ts';
import type { ProvenIdentity } from './identity-provider.ts';
import { settleIdentity } from './settle-identity.ts';
import { noteFailure, providerNamed, type SignIns } from './sign-ins.ts';

/** The data that a browser returns with from a provider. */
export interface BroughtBack {
  readonly state: string;
  /** The provider's error code; '' when it did not refuse. */
  readonly error: string;
  /** The URL of the callback, including its query. */
  readonly callback: URL;
  /** The state that this browser kept from the start of the sign-in; '' without one. */
  readonly keptState: string;
  /** The person signed in with this browser; null: no one. */
  readonly session: Actor | null;
}

export interface FinishedSignIn {
  /** The account that the identity gives access to. */
  readonly accountId: string;
  /** Whether a signed-in owner linked the identity, rather than signed in with it. */
  readonly isLink: boolean;
}

/**
 * Completes a sign-in and returns the account of the identity. A sign-in can be completed only once, whatever the
 * result. Throws `identity_provider_not_found`, `sign_in_unknown`, `sign_in_refused`, `identity_provider_failed`,
 * `identity_taken`, `email_in_use`, `email_not_verified` and `signup_closed`.
 */
export async function finishSignIn(
  signIns: SignIns,
  providerName: string,
  brought: BroughtBack,
): Promise<FinishedSignIn> {
  const provider = providerNamed(signIns, providerName);
  const pending = await takePending(signIns, providerName, brought);
  if (brought.error !== '') throw new GatewayError('sign_in_refused');
  const proven = await provider
    .identify({ ...pending, state: brought.state }, brought.callback)
    .catch((error: unknown) => noteFailure(signIns, providerName, error));
  const linkTo = pending.accountId === null ? null : brought.session;
  return { accountId: await settle(signIns, proven, linkTo), isLink: linkTo !== null };
}

/**
 * Takes the pending sign-in, which this browser must have started. To link an identity, the same account must still be
 * signed in.
 */
async function takePending(
  { store, clock }: SignIns,
  providerName: string,
  { state, keptState, session }: BroughtBack,
): Promise<PendingSignIn> {
  if (state === '' || !isSameSecret(state, keptState)) throw new GatewayError('sign_in_unknown');
  const pending = await takeSignIn(store.db, store.secrets, hashToken(state), clock.nowIso());
  if (pending?.provider !== providerName) throw new GatewayError('sign_in_unknown');
  const isLinking = pending.accountId !== null;
  if (isLinking && pending.accountId !== session?.accountId) throw new GatewayError('sign_in_unknown');
  return pending;
}

async function settle(
  { store, clock, mayRegister }: SignIns,
  proven: ProvenIdentity,
  linkTo: Actor | null,
): Promise<string> {
  const options = { linkTo, mayRegister, nowIso: clock.nowIso() };
  return await store.db.transaction().execute((trx) => settleIdentity(trx, proven, options));
}
