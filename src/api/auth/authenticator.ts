import type { KeyCache } from '../../accounts/keys/key-cache.ts';
import type { SessionCache } from '../../accounts/sessions/session-cache.ts';
import type { GrantCache } from '../../authorization/grant-cache.ts';
import type { Authenticate, CredentialKind, Principal } from './principal.ts';

/** All keys and tokens are shorter. Longer credentials are rejected without hashing them. */
const MAX_CREDENTIAL_LENGTH = 256;

/** Authenticates API keys, access tokens and sessions against the caches. */
export function authenticator(
  keys: Pick<KeyCache, 'use'>,
  sessions: Pick<SessionCache, 'use'>,
  grants: Pick<GrantCache, 'use'>,
): Authenticate {
  return (credential) => {
    if (credential === null || credential.length > MAX_CREDENTIAL_LENGTH) return null;
    if (credential.startsWith('svc_')) {
      const key = keys.use(credential);
      return key && principalOf(key, key.isInternal ? 'model' : key.kind);
    }
    // A session token can start the same way by chance: one in sixteen million does.
    const grant = credential.startsWith('mcp_') ? grants.use(credential) : null;
    if (grant !== null) return principalOf(grant, 'oauth', grant.platforms);
    const session = sessions.use(credential);
    return session && principalOf(session, 'session');
  };
}

function principalOf(
  {
    accountId,
    id: credentialId,
    agentIds,
  }: Pick<Principal, 'accountId' | 'agentIds'> & { readonly id: string },
  kind: CredentialKind,
  platforms: Principal['platforms'] = null,
): Principal {
  return { accountId, credentialId, kind, agentIds, platforms };
}
