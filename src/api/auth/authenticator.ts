import type { KeyRing } from '../../accounts/key-ring.ts';
import type { SessionRing } from '../../accounts/session-ring.ts';
import type { Authenticate, Principal } from './principal.ts';

/** Every key and token is shorter; anything longer is not worth hashing. */
const MAX_CREDENTIAL_LENGTH = 256;

/** Lets in whoever holds a key or a session of the rings. */
export function authenticator(keys: Pick<KeyRing, 'use'>, sessions: Pick<SessionRing, 'use'>): Authenticate {
  return (credential) => {
    if (credential === null || credential.length > MAX_CREDENTIAL_LENGTH) return null;
    return credential.startsWith('svc_') ? byKey(keys, credential) : bySession(sessions, credential);
  };
}

function byKey(keys: Pick<KeyRing, 'use'>, credential: string): Principal | null {
  const key = keys.use(credential);
  if (key === null) return null;
  const { accountId, id: credentialId, kind, agentIds } = key;
  return { accountId, credentialId, kind, agentIds, platforms: null };
}

function bySession(sessions: Pick<SessionRing, 'use'>, credential: string): Principal | null {
  const session = sessions.use(credential);
  return (
    session && {
      accountId: session.accountId,
      credentialId: session.id,
      kind: 'session',
      agentIds: session.agentIds,
      platforms: null,
    }
  );
}
