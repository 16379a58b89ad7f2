import { onTestFinished } from 'vitest';
import { VendorQuota } from '../../../src/accounts/account/account-quotas.ts';
import { AgentRoster } from '../../../src/accounts/account/agent-roster.ts';
import { storeKey } from '../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../src/accounts/keys/key-cache.ts';
import type { AgentDomain } from '../../../src/agents/agent-domain.ts';
import { authenticator } from '../../../src/api/auth/authenticator.ts';
import { HttpServer } from '../../../src/api/http/server.ts';
import { deliveryRoutes } from '../../../src/api/rest/agent-deliveries.ts';
import { agentPolicyRoutes } from '../../../src/api/rest/agent-policy.ts';
import { agentProviderRoutes } from '../../../src/api/rest/agent-provider.ts';
import { agentRoutes } from '../../../src/api/rest/agents.ts';
import { apiKeyRoutes } from '../../../src/api/rest/api-keys.ts';
import { sipRoutes } from '../../../src/api/rest/sip.ts';
import { Places } from '../../../src/base/places.ts';
import { systemClock } from '../../../src/base/time.ts';
import { DeliveryWaits } from '../../../src/inline/deliveries/delivery-waits.ts';
import { ModelClients } from '../../../src/inline/turn/model-clients.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import type { Store } from '../../../src/store/store.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';
import { NO_MODELS } from '../../support/no-models.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { sipSetup } from '../accounts/sip-setup.ts';
import { ScriptedModel } from '../inline/scripted-model.ts';
import { auditEntriesAfter } from '../store/audit-entries.ts';
import { NOW, temporaryDir, temporaryStore } from '../store/temporary.ts';

/** The agent routes of a gateway, and what they reported to the rest of it. */
export interface AgentServer {
  readonly store: Store;
  readonly dataDir: string;
  readonly directory: FakeDirectory;
  readonly agents: AgentDomain;
  /** Keys whose agents changed: their id, and their agents at that time. */
  readonly changed: [string, readonly string[]][];
  /** Agents whose calls were ended. */
  readonly ended: string[];
  /** The API with a key, or without. */
  api(key: string | null): GatewayApi;
  /** A new account, and the API with its settings key. */
  account(name: string, email?: string): Promise<{ accountId: string; api: GatewayApi }>;
  /** The actions in an account's log, oldest first. */
  audited(accountId: string): Promise<string[]>;
}

const NOBODY = { use: () => null };

/** All routes for agents, keys and numbers, on a real server over a real database. */
export async function agentServer(): Promise<AgentServer> {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const directory = new FakeDirectory();
  const keys = await KeyCache.load(store.db, systemClock, () => {});
  const changed: [string, readonly string[]][] = [];
  const ended: string[] = [];
  keys.watch((keyId, agentIds) => changed.push([keyId, agentIds]));
  const endCalls = (_accountId: string, agentId: string) => void ended.push(agentId);
  const roster = await AgentRoster.load(store.db);
  const grants = { refresh: async () => {} };
  const agents = {
    ...{ store, directory, clock: systemClock, keys, roster, grants, endCalls },
    models: NO_MODELS,
    budgets: await budgetsOf(store, systemClock),
    mayConnect: async ({ hostname }: URL) => !hostname.startsWith('10.'),
  };
  const quota = new VendorQuota(systemClock);
  const browsing = { store, clock: systemClock, clients: new ModelClients(() => new ScriptedModel()), quota };
  const places = new Places({ code: 'too_many_waiters', what: 'waits', perKey: 2, perAccount: 2, total: 2 });
  const waits = new DeliveryWaits(places, systemClock);
  const deliveries = { store, clock: systemClock, offer: () => {}, waits };
  const http = new HttpServer({
    library: HTTP_LIBRARY,
    routes: [
      ...agentRoutes(agents),
      ...agentPolicyRoutes(agents),
      ...agentProviderRoutes(agents, deliveries, browsing),
      ...deliveryRoutes(deliveries),
      ...apiKeyRoutes(agents),
      ...sipRoutes(sipSetup(agents)),
    ],
    sockets: [],
    authenticate: authenticator(keys, NOBODY, NOBODY),
    onError: (error) => {
      throw error;
    },
  });
  await http.listen('127.0.0.1', 0);
  onTestFinished(() => http.close(1_000));
  const api = (key: string | null) => new GatewayApi(`http://127.0.0.1:${http.port}`, key);
  return {
    store,
    dataDir,
    directory,
    agents,
    changed,
    ended,
    api,
    async account(name, email) {
      const accountId = `acc_${name}`;
      await insertAccount(store.db, { id: accountId, name, createdAt: NOW, email: email ?? null });
      const key = `svc_settings_of_${name}`;
      await storeKey(store.db, key, { accountId, kind: 'settings', name, agentIds: [] }, NOW);
      await keys.refresh(accountId);
      return { accountId, api: api(key) };
    },
    async audited(accountId) {
      return (await auditEntriesAfter(store.db, accountId, 0, 1_000)).map(({ action }) => action);
    },
  };
}
