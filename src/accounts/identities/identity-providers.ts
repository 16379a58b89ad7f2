import { GithubProvider } from './github-provider.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { OAuthClientOptions } from './oauth-client.ts';
import { OpenIdProvider } from './openid-provider.ts';

/** A provider in the operator's settings. */
export interface ConfiguredProvider extends OAuthClientOptions {
  readonly kind: 'openid' | 'github';
}

/** Returns the providers by name. None is contacted before a person signs in with it. */
export function identityProviders(configured: readonly ConfiguredProvider[]): Map<string, IdentityProvider> {
  return new Map(
    configured.map((options) => [
      options.name,
      options.kind === 'github' ? new GithubProvider(options) : new OpenIdProvider(options),
    ]),
  );
}
