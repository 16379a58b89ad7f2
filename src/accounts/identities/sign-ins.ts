import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Store } from '../../store/store.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { People } from '../people/people.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { type ConfiguredProvider, identityProviders } from './identity-providers.ts';

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

export interface SignInOptions {
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
export function providerNamed(signIns: SignIns, name: string): IdentityProvider {
  const provider = signIns.providers.get(name);
  if (!provider) throw new GatewayError('identity_provider_not_found');
  return provider;
}

/**
 * Reports the cause of a provider's failure to the operator, since the client gets only a general error. Rethrows the
 * error.
 */
export function noteFailure(signIns: SignIns, provider: string, error: unknown): never {
  if (error instanceof GatewayError && error.code === 'identity_provider_failed') {
    signIns.onProviderFailed(provider, error.cause ?? error);
  }
  throw error;
}
