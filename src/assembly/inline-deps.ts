import type { VendorQuota } from '../accounts/account/account-quotas.ts';
import type { Budgets } from '../accounts/budgets/budgets.ts';
import { mcpUrl } from '../authorization/authorization-domain.ts';
import { FairShare } from '../base/fair-share.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { DeliveryDomain } from '../inline/deliveries/deliveries.ts';
import { DeliveryWaits } from '../inline/deliveries/delivery-waits.ts';
import type { BrowseDomain } from '../inline/provider/browse-provider.ts';
import { InlineRunner } from '../inline/runner.ts';
import { ModelClients } from '../inline/turn/model-clients.ts';
import { modelProvider } from '../models/all-providers.ts';
import type { GatewayTools } from '../models/model-client.ts';
import { findInternalBearer } from '../store/agents/internal-bearers.ts';
import type { Db } from '../store/database/rows.ts';
import { ModelEvents } from '../telemetry/model-events.ts';
import type { PartDeps } from './gateway-deps.ts';
import type { Messaging } from './messaging-deps.ts';
import { modelHttp } from './model-http.ts';

/** Turns under way: each holds a connection to a provider. */
const MAX_TURNS = 500;
const MAX_TURNS_WAITING = 10_000;

interface InlineNeeds extends Pick<Messaging, 'inbox' | 'outbound'> {
  readonly calls: CallDomain;
  readonly quota: VendorQuota;
  readonly budgets: Budgets;
  readonly bearerOf: BearerOf;
}

/** Returns the internal bearer of an agent, which is made if there is none. */
type BearerOf = (accountId: string, agentId: string) => Promise<string>;

export interface Inline {
  readonly runner: InlineRunner;
  readonly deliveries: DeliveryDomain;
  readonly browsing: BrowseDomain;
  readonly mayConnect: (url: URL) => Promise<boolean>;
}

/** Creates the work for agents with a model. It starts with `runner.start`. */
export function openInline(deps: PartDeps, needs: InlineNeeds): Inline {
  const { store, clock, loggers, metrics, wakeups } = deps;
  const { calls, inbox, outbound, quota, budgets, bearerOf } = needs;
  const { places } = inbox.waiters;
  const http = modelHttp(deps);
  const { urls } = deps.settings.models;
  const clients = new ModelClients((name, { accountId, ...given }) =>
    modelProvider(name).connect(given, { http: http.of(accountId), clock, urls }),
  );
  const waits = new DeliveryWaits(places, clock);
  const turns = new FairShare({
    clock,
    total: MAX_TURNS,
    each: MAX_TURNS,
    keepsRoom: true,
    mostWaiting: MAX_TURNS_WAITING,
  });
  metrics.watchShare('model_turns', turns);
  const runner = new InlineRunner({
    store,
    clock,
    traits: deps.settings.traits,
    wakeups,
    calls,
    outbound,
    reading: inbox,
    clients,
    toolsOf: async (accountId, agentId) => await toolsOf(deps, bearerOf, accountId, agentId),
    knownTools: async (db, agentId) => await knownTools(deps, db, agentId),
    observer: new ModelEvents(loggers, metrics),
    turnEnded: (accountId) => waits.turnEnded(accountId),
    turns,
    budgets,
  });
  return {
    runner,
    deliveries: { store, clock, offer: (lane) => runner.offer(lane), waits },
    browsing: { store, clock, clients, quota },
    mayConnect: (url) => http.mayConnect(url),
  };
}

/** Servers of a provider can only reach a gateway that has a public address, and send the bearer only by https. */
async function toolsOf(
  deps: PartDeps,
  bearerOf: BearerOf,
  accountId: string,
  agentId: string,
): Promise<GatewayTools | null> {
  const url = toolsUrl(deps);
  if (url === null) return null;
  const known = await knownTools(deps, deps.store.db, agentId);
  return known ?? { url, bearer: await bearerOf(accountId, agentId) };
}

async function knownTools(deps: PartDeps, db: Db, agentId: string): Promise<GatewayTools | null> {
  const url = toolsUrl(deps);
  const known = url === null ? undefined : await findInternalBearer(db, deps.store.secrets, agentId);
  return url !== null && known ? { url, bearer: known.key } : null;
}

function toolsUrl({ publicUrl }: PartDeps): string | null {
  const url = mcpUrl(publicUrl());
  return url.startsWith('https://') ? url : null;
}
