import { LimitedMap } from '../../base/limited-map.ts';
import { openProvider, type StoredProvider } from '../../store/agents/agent-providers.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Store } from '../../store/store.ts';

const MAX_PROVIDERS = 2_000;

interface KnownProvider {
  /** Whoever stores a provider seals its secrets anew, so an equal text means that nothing has changed. */
  readonly sealedSecrets: string | null;
  readonly provider: StoredProvider;
}

/** The providers of agents, opened once for as long as they stay the same: each turn needs its agent's. */
export class KnownProviders {
  readonly #store: Pick<Store, 'db' | 'secrets'>;
  readonly #byAgent = new LimitedMap<KnownProvider>(MAX_PROVIDERS);

  constructor(store: Pick<Store, 'db' | 'secrets'>) {
    this.#store = store;
  }

  /** Undefined: the agent has no provider. */
  async of(agentId: string): Promise<StoredProvider | undefined> {
    const { db, secrets } = this.#store;
    const row = await findRow(db, 'agentProviders', { agentId });
    if (!row) {
      this.#byAgent.delete(agentId);
      return undefined;
    }
    const known = this.#byAgent.get(agentId);
    if (known && known.sealedSecrets !== null && known.sealedSecrets === row.sealedSecrets)
      return known.provider;
    const provider = openProvider(row, secrets);
    this.#byAgent.set(agentId, { sealedSecrets: row.sealedSecrets, provider });
    return provider;
  }
}
