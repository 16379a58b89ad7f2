import { GatewayError } from '../../base/errors.ts';
import { hashToken, isSameSecret, newToken } from '../../base/ids.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import type { Actor } from '../../store/people/audit-log.ts';
import { insertSignIn, type PendingSignIn, takeSignIn } from '../../store/people/sign-ins.ts';
import type { Store } from '../../store/store.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { People } from '../people/people.ts';
import { GithubProvider } from './github-provider.ts';
import type { IdentityProvider, OAuthClientOptions } from './identity-provider.ts';
import { OpenIdProvider } from './openid-provider.ts';
import { settleIdentity } from './settle-identity.ts';

/** Dependencies of sign-ins with identity providers. */
export interface SignIns {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: AttemptLimits;
  /** Providers by name. */
  readonly providers: ReadonlyMap<string, IdentityProvider>;
  /** Whether people without an account may create one. */
  readonly mayRegister: boolean;
  /** Called for each sign-in that failed because the provider could not be used. */
  readonly onProviderFailed: (provider: string, error: unknown) => void;
}

interface SignInOptions {
  readonly store: Store;
  readonly people: Pick<People, 'clock' | 'limits' | 'signup'>;
  readonly providers: readonly ConfiguredProvider[];
  readonly onProviderFailed: SignIns['onProviderFailed'];
}

/**
 * Builds the dependencies. People may register only in mode `open`: invite codes work only for sign-ups with a
 * password, because there is no place to enter one on the way to a provider.
 */
export function signInsOf({ people, providers, ...others }: SignInOptions): SignIns {
  const { clock, limits, signup } = people;
  return {
    ...others,
    clock,
    limits,
    providers: identityProviders(providers),
    mayRegister: signup.mode === 'open',
  };
}

/** Returns the provider with this name. Throws `identity_provider_not_found`. */
function providerNamed(signIns: SignIns, name: string): IdentityProvider {
  const provider = signIns.providers.get(name);
  if (!provider) throw new GatewayError('identity_provider_not_found');
  return provider;
}

/**
 * Reports the cause of a provider's failure to the operator, since the client gets only a general error. Rethrows the
 * error.
 */
function noteFailure(signIns: SignIns, provider: string, error: unknown): never {
  if (error instanceof GatewayError && error.code === 'identity_provider_failed') {
    signIns.onProviderFailed(provider, error.cause ?? error);
  }
  throw error;
}

/** A provider in the operator's settings. */
export interface ConfiguredProvider extends OAuthClientOptions {
  readonly kind: 'openid' | 'github';
}

/** Returns the providers by name. None is contacted before a person signs in with it. */
function identityProviders(configured: readonly ConfiguredProvider[]): Map<string, IdentityProvider> {
  return new Map(
    configured.map((options) => [
      options.name,
      options.kind === 'github' ? new GithubProvider(options) : new OpenIdProvider(options),
    ]),
  );
}

/** How long a person has to sign in at the provider. */
export const SIGN_IN_DEADLINE_MS = 600_000;

export interface StartedSignIn {
  /** The URL to redirect the browser to. */
  readonly url: string;
  /** The browser must keep it too, so that no other browser can complete the sign-in. */
  readonly state: string;
}

/**
 * Starts a sign-in with a provider. With an `accountId`, the identity will be linked to that account. Throws
 * `identity_provider_not_found` and `identity_provider_failed`.
 */
export async function startSignIn(
  signIns: SignIns,
  providerName: string,
  { accountId, callbackUrl }: { readonly accountId: string | null; readonly callbackUrl: string },
): Promise<StartedSignIn> {
  const { store, clock } = signIns;
  const provider = providerNamed(signIns, providerName);
  const secrets = { state: newToken(), nonce: newToken(), codeVerifier: newToken() };
  const url = await provider
    .authorizationUrl(secrets, callbackUrl)
    .catch((error: unknown) => noteFailure(signIns, providerName, error));
  const createdAt = clock.nowIso();
  const expiresAt = isoAfter(createdAt, SIGN_IN_DEADLINE_MS);
  const { state, ...kept } = secrets;
  const known = { accountId, provider: providerName, createdAt, expiresAt };
  await insertSignIn(store.db, store.secrets, { stateHash: hashToken(state), ...known, ...kept });
  return { url, state };
}

/** The data that a browser returns with from a provider. */
interface BroughtBack {
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
  const options = { linkTo, mayRegister: signIns.mayRegister, nowIso: signIns.clock.nowIso() };
  const accountId = await signIns.store.db
    .transaction()
    .execute((trx) => settleIdentity(trx, proven, options));
  return { accountId, isLink: linkTo !== null };
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
