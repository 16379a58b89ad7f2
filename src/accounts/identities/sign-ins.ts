import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Store } from '../../store/store.ts';
import type { AttemptLimits } from '../passwords/attempt-limits.ts';
import type { People } from '../people/people.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { type ConfiguredProvider, identityProviders } from './identity-providers.ts';

/** What signing in elsewhere works with. */
export interface SignIns {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: AttemptLimits;
  /** By their names. */
  readonly providers: ReadonlyMap<string, IdentityProvider>;
  /** People whom no account knows may make one. */
  readonly mayRegister: boolean;
  /** Told of every sign-in that a provider could not be asked about. */
  readonly onProviderFailed: (provider: string, error: unknown) => void;
}

export interface SignInOptions {
  readonly store: Store;
  readonly people: Pick<People, 'clock' | 'limits' | 'signup'>;
  readonly providers: readonly ConfiguredProvider[];
  readonly onProviderFailed: SignIns['onProviderFailed'];
}

/** Invite codes are for sign-ups by password: a browser on its way to a provider has nowhere to give one. */
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

/** Throws `identity_provider_not_found`. */
export function providerNamed(signIns: SignIns, name: string): IdentityProvider {
  const provider = signIns.providers.get(name);
  if (!provider) throw new GatewayError('identity_provider_not_found');
  return provider;
}

/** Has the operator hear of what a client is told only in general. */
export function noteFailure(signIns: SignIns, provider: string, error: unknown): never {
  if (error instanceof GatewayError && error.code === 'identity_provider_failed') {
    signIns.onProviderFailed(provider, error.cause ?? error);
  }
  throw error;
}
