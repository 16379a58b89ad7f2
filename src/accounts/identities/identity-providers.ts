import { GithubProvider } from './github-provider.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { OAuthClientOptions } from './oauth-client.ts';
import { OpenIdProvider } from './openid-provider.ts';

/** A provider as the operator set it up. */
export interface ConfiguredProvider extends OAuthClientOptions {
  readonly kind: 'openid' | 'github';
}

/** The providers by their names; none is asked anything before somebody signs in there. */
export function identityProviders(configured: readonly ConfiguredProvider[]): Map<string, IdentityProvider> {
  return new Map(
    configured.map((options) => [
      options.name,
      options.kind === 'github' ? new GithubProvider(options) : new OpenIdProvider(options),
    ]),
  );
}
