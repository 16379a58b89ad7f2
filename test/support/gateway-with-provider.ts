import { Gateway } from './gateway.ts';
import { IdentityProviderPeer } from './identity-provider.ts';

/**
 * A gateway with open sign-up, also through a provider (`acme`). `host`: as for `IdentityProviderPeer.start`; `env`:
 * what else the gateway is told.
 */
export async function startWithProvider(
  host?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ peer: IdentityProviderPeer; gateway: Gateway }> {
  const peer = await IdentityProviderPeer.start(host);
  const gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', ...env, ...peer.settings } });
  peer.allow(`${gateway.baseUrl}/auth/oauth/acme/callback`);
  return { peer, gateway };
}
