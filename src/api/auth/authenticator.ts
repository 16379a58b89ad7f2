import type { KeyCache } from '../../accounts/keys/key-cache.ts';
import type { SessionCache } from '../../accounts/sessions/session-cache.ts';
import type { GrantCache } from '../../authorization/grant-cache.ts';
import type { Authenticate, Principal } from './principal.ts';

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
    if (credential.startsWith('svc_')) return byKey(keys, credential);
    // A session token can start the same way by chance: one in sixteen million does.
    const byGrant = credential.startsWith('mcp_') ? byAccessToken(grants, credential) : null;
    return byGrant ?? bySession(sessions, credential);
  };
}

function byKey(keys: Pick<KeyCache, 'use'>, credential: string): Principal | null {
  const key = keys.use(credential);
  if (key === null) return null;
  const { accountId, id: credentialId, kind, agentIds } = key;
  return { accountId, credentialId, kind, agentIds, platforms: null };
}

function byAccessToken(grants: Pick<GrantCache, 'use'>, credential: string): Principal | null {
  const grant = grants.use(credential);
  if (grant === null) return null;
  const { accountId, id: credentialId, agentIds, platforms } = grant;
  return { accountId, credentialId, kind: 'oauth', agentIds, platforms };
}

function bySession(sessions: Pick<SessionCache, 'use'>, credential: string): Principal | null {
  const session = sessions.use(credential);
  if (session === null) return null;
  const { accountId, id: credentialId, agentIds } = session;
  return { accountId, credentialId, kind: 'session', agentIds, platforms: null };
}
