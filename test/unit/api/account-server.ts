import { onTestFinished } from 'vitest';
import type { AccountDomain } from '../../../src/accounts/account/account-domain.ts';
import { storeKey } from '../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../src/accounts/keys/key-cache.ts';
import type { Principal } from '../../../src/api/auth/principal.ts';
import type { Route } from '../../../src/api/http/routing/route.ts';
import { HttpServer } from '../../../src/api/http/server.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import type { KeyKind } from '../../../src/store/keys/key-tables.ts';
import type { ValidKey } from '../../../src/store/keys/keys.ts';
import type { Store } from '../../../src/store/store.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';
import { TurnableClock } from '../../support/turnable-clock.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { connectionsOf } from '../accounts/test-connections.ts';
import { NOW, seedAccount, temporaryDir, temporaryStore } from '../store/temporary.ts';

const CALL_LIMIT = 7;

/** The account routes on a real server, with two accounts that have an agent key and a settings key each. */
export async function accountServer(routesOf: (domain: AccountDomain) => Route[]) {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const [owner, other] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  const keys = {
    settings: await keyOf(store, owner, 'settings'),
    agent: await keyOf(store, owner, 'agent'),
    stranger: await keyOf(store, other, 'settings'),
  };
  const clock = new TurnableClock();
  const directory = new FakeDirectory();
  const domain: AccountDomain = {
    store,
    directory,
    clock,
    traits: PLATFORM_TRAITS,
    calls: callsOf(clock),
    connections: connectionsOf(store),
    budgets: await budgetsOf(store, clock),
  };
  const ring = await KeyCache.load(store.db, clock, () => {});
  const server = new HttpServer({
    library: HTTP_LIBRARY,
    routes: routesOf(domain),
    sockets: [],
    authenticate: (credential) => principalOf(credential === null ? null : ring.use(credential)),
    onError: (error) => {
      throw error;
    },
  });
  await server.listen('127.0.0.1', 0);
  onTestFinished(() => server.close(1_000));
  const api = (key: string) => new GatewayApi(`http://127.0.0.1:${server.port}`, key);
  return {
    settings: api(keys.settings),
    agent: api(keys.agent),
    stranger: api(keys.stranger),
    owner,
    domain,
    clock,
    directory,
    dataDir,
  };
}

function principalOf(key: ValidKey | null): Principal | null {
  if (!key) return null;
  const { accountId, id: credentialId, kind, agentIds } = key;
  return { accountId, credentialId, kind, agentIds, platforms: null };
}

async function keyOf(
  { db }: Store,
  { accountId, agentId }: { accountId: string; agentId: string },
  kind: KeyKind,
): Promise<string> {
  const text = `svc_${accountId}_${kind}`;
  const agentIds = kind === 'agent' ? [agentId] : [];
  await storeKey(db, text, { accountId, kind, name: `${kind} key`, agentIds }, NOW);
  return text;
}

/** The part of the calls that an account reads: no calls, and one platform. */
function callsOf(clock: TurnableClock): CallDomain {
  return {
    registry: new CallRegistry(),
    connectors: new Map([['sip', { provides: {} }]]),
    events: { feedbackGiven() {}, botChanged() {} },
    clock,
    maxCallsPerAccount: CALL_LIMIT,
  } as unknown as CallDomain;
}

/** The account's audit log as pairs of action and subject. */
export async function auditOf({ db }: Store, accountId: string): Promise<[string, string | null][]> {
  const rows = await db
    .selectFrom('auditLog')
    .select(['action', 'subject'])
    .where('accountId', '=', accountId)
    .orderBy('id')
    .execute();
  return rows.map(({ action, subject }) => [action, subject]);
}
