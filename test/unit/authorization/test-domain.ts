import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import type { AuthorizationDomain } from '../../../src/authorization/authorization-domain.ts';
import type { AskedParameters } from '../../../src/authorization/authorization-request.ts';
import { GrantCache } from '../../../src/authorization/grant-cache.ts';
import { FairShare } from '../../../src/base/fair-share.ts';
import type { Actor } from '../../../src/store/people/audit-log.ts';
import type { Store } from '../../../src/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { seedAccount, seedSession, temporaryStore } from '../store/temporary.ts';

export const ISSUER = 'https://gateway.example';
export const RESOURCE = `${ISSUER}/mcp/`;
export const REDIRECT = 'http://127.0.0.1:33418/callback';
export const IP = '127.0.0.1';
/** SHA-256 of `VERIFIER` in base64url. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** From RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** The authorization server over a real database, for an account with one agent, on a clock that stands still. */
export interface AuthorizationWorld {
  readonly domain: AuthorizationDomain;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly accountId: string;
  readonly agentId: string;
  /** A person who is signed in. */
  readonly actor: Actor;
  /** The changes of grants that the cache reported. */
  readonly changes: [string, readonly string[]][];
  /** The available documents, by URL. */
  readonly documents: Map<string, string>;
  readonly reads: string[];
}

/** More than any test registers. */
const MANY = 10_000;

export async function authorizationWorld(attempts = 1_000_000): Promise<AuthorizationWorld> {
  const store = await temporaryStore();
  const clock = new ManualClock();
  const { accountId, agentId } = await seedAccount(store, 'a');
  const changes: AuthorizationWorld['changes'] = [];
  const documents = new Map<string, string>();
  const reads: string[] = [];
  const grants = await GrantCache.load(
    store.db,
    clock,
    () => RESOURCE,
    () => {},
  );
  grants.watch((grantId, agentIds) => changes.push([grantId, agentIds]));
  const domain: AuthorizationDomain = {
    store,
    clock,
    grants,
    limits: new AttemptLimits(clock, attempts),
    registrations: new FairShare({ clock, total: MANY, each: MANY, mostWaiting: 0 }),
    issuer: () => ISSUER,
    resource: () => RESOURCE,
    connectedPlatforms: async () => new Set(),
    readDocument: async (url) => {
      reads.push(url);
      const text = documents.get(url);
      if (text === undefined) throw new Error('nothing there');
      return text;
    },
  };
  const actor = { accountId, kind: 'session', credentialId: `ses_${accountId}` } as const;
  await seedSession(store, accountId);
  return { domain, store, clock, accountId, agentId, actor, changes, documents, reads };
}

/** A correct authorization request of a client. */
export function asked(clientId: string, more: Partial<AskedParameters> = {}): AskedParameters {
  return {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    state: 's',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: '',
    scope: '',
    ...more,
  };
}
