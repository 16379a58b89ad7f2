import type { VendorQuota } from '../../accounts/account/account-quotas.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { requireAgent } from '../../agents/agent-domain.ts';
import { type ConfigChange, type ConfigFault, mergeForBrowsing } from '../../agents/provider-config.ts';
import { GatewayError } from '../../base/errors.ts';
import { answeredWithin, type Clock, pause } from '../../base/time.ts';
import { modelProvider } from '../../models/all-providers.ts';
import type { ModelChoices } from '../../models/model-client.ts';
import { ModelFault, NotReached } from '../../models/model-fault.ts';
import type { ProviderName } from '../../models/model-provider.ts';
import { findProvider } from '../../store/agents/agent-providers.ts';
import type { Store } from '../../store/store.ts';
import type { ModelClients } from '../turn/model-clients.ts';

const BROWSE_MS = 15_000;
/** Names without an address, and addresses that are not allowed, would be told apart by how soon they fail. */
const LEAST_FAILURE_MS = 1_000;
const NOT_REACHED =
  'The endpoint could not be reached: it does not answer, its name has no address, or its address is not allowed (SVC_MODELS_ALLOW)';
/** Limit of the models, and of the agents, that are listed. */
const MAX_CHOICES = 1_000;

/** Dependencies of browsing, built once by the composition root. */
export interface BrowseDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly clients: Pick<ModelClients, 'make'>;
  readonly quota: VendorQuota;
}

/** A provider and fields for it. Blank and missing fields are those of the agent's provider, if it is the same. */
export interface BrowseRequest {
  readonly provider: ProviderName;
  readonly config: ConfigChange;
}

/**
 * Lists the models and hosted agents that a provider offers to a key. Returns the faults when fields are invalid. Throws
 * `agent_not_found`, `email_not_verified`, TooManyAttempts, `model_key_refused`, `model_provider_failed`.
 */
export async function browseProvider(
  { store, clock, clients, quota }: BrowseDomain,
  accountId: string,
  agentId: string,
  { provider, config }: BrowseRequest,
): Promise<ModelChoices | { readonly faults: readonly ConfigFault[] }> {
  await requireAgent(store.db, accountId, agentId);
  await requireVerifiedAddress(store.db, accountId);
  const former = await findProvider(store.db, store.secrets, agentId);
  const stored = former?.provider === provider ? former : { config: {}, secrets: {} };
  const merged = mergeForBrowsing(modelProvider(provider), stored, config);
  if ('faults' in merged) return merged;
  quota.count(accountId);
  const late = (): Error => new NotReached('unreachable', { words: 'The provider did not answer in time' });
  const done = new AbortController();
  const leastWait = pause(clock, LEAST_FAILURE_MS, done.signal);
  try {
    const client = clients.make(provider, { ...merged, accountId });
    const found = await answeredWithin(clock, BROWSE_MS, late, (signal) => client.browse(signal));
    const { models, agents, notice } = found;
    return { models: models.slice(0, MAX_CHOICES), agents: agents.slice(0, MAX_CHOICES), notice };
  } catch (error) {
    if (error instanceof NotReached) await leastWait;
    throw error instanceof ModelFault ? told(error) : error;
  } finally {
    done.abort();
  }
}

function told(fault: ModelFault): GatewayError {
  if (fault instanceof NotReached) return new GatewayError('model_provider_failed', NOT_REACHED);
  const { kind, message } = fault;
  const isKey = kind === 'key_rejected' || kind === 'no_access';
  return new GatewayError(isKey ? 'model_key_refused' : 'model_provider_failed', message);
}
