import { createHash } from 'node:crypto';
import { LimitedMap } from '../../base/limited-map.ts';
import type { ModelClient } from '../../models/model-client.ts';
import type { ModelSettings, ProviderName } from '../../models/model-provider.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';

const MAX_CLIENTS = 2_000;

/** Whose model is asked: its answers are read in the account's share of the time. */
export interface ModelOwner extends ModelSettings {
  readonly accountId: string;
}

/** Makes a client of a provider. Throws ModelFault `bad_request`. */
export type ConnectModel = (provider: ProviderName, owner: ModelOwner) => ModelClient;

interface KnownClient {
  readonly updatedAt: string;
  readonly client: ModelClient;
}

/** The clients of agents' models, kept while their settings stay the same. */
export class ModelClients {
  readonly #connect: ConnectModel;
  readonly #byAgent = new LimitedMap<KnownClient>(MAX_CLIENTS);

  constructor(connect: ConnectModel) {
    this.#connect = connect;
  }

  /** Throws ModelFault `bad_request` when the settings cannot be used. */
  of(accountId: string, provider: StoredProvider): ModelClient {
    const { agentId, updatedAt } = provider;
    const known = this.#byAgent.get(agentId);
    if (known?.updatedAt === updatedAt) return known.client;
    const client = this.make(provider.provider as ProviderName, { ...provider, accountId });
    this.#byAgent.set(agentId, { updatedAt, client });
    return client;
  }

  /** Makes a client that is not kept. Throws ModelFault `bad_request`. */
  make(name: ProviderName, { accountId, config, secrets }: ModelOwner): ModelClient {
    return this.#connect(name, { accountId, config, secrets });
  }
}

const hashes = new WeakMap<StoredProvider, string>();

/** Names a configuration under which a provider keeps conversations. A new key or prompt does not change it. */
export function configHash(provider: StoredProvider): string {
  const known = hashes.get(provider) ?? hashOf(provider);
  hashes.set(provider, known);
  return known;
}

function hashOf({ provider, config }: StoredProvider): string {
  const sorted = Object.entries(config).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([provider, sorted]))
    .digest('base64url');
}
