import type { KeyRing } from '../../accounts/key-ring.ts';
import type { Authenticate } from './principal.ts';

/** Every key is shorter; anything longer is not worth hashing. */
const MAX_KEY_LENGTH = 256;

/** Lets in whoever holds a key of the ring. */
export function authenticator(ring: KeyRing): Authenticate {
  return (credential) => {
    if (!credential?.startsWith('svc_') || credential.length > MAX_KEY_LENGTH) return null;
    const key = ring.use(credential);
    return key && { accountId: key.accountId, credentialId: key.id, kind: key.kind, agentIds: key.agentIds };
  };
}
