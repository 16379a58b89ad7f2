import type { KeptConversations } from '../../agents/agent-domain.ts';
import type { ModelClient } from '../../models/model-client.ts';
import { ModelFault } from '../../models/model-fault.ts';
import { findProvider, type StoredProvider } from '../../store/agents/agent-providers.ts';
import type { Db } from '../../store/database/tables.ts';
import { listMemories } from '../../store/inline/model-conversations.ts';
import type { InlineDomain } from '../inline-domain.ts';

/** Limit of conversations of an agent that are deleted at its provider, the newest ones. */
const MAX_KEPT = 500;

/** See `AgentModels.conversationsOf`. */
export async function conversationsOf(
  { store, clients, forgetting }: Pick<InlineDomain, 'store' | 'clients' | 'forgetting'>,
  trx: Db,
  agentId: string,
): Promise<KeptConversations> {
  const memories = await listMemories(trx, agentId, MAX_KEPT);
  const provider = memories.length > 0 ? await findProvider(trx, store.secrets, agentId) : undefined;
  const client = provider && clientOf(clients, provider);
  const forget = (): void => {
    if (client) for (const memory of memories) forgetting.add(client, memory);
  };
  return { count: memories.length, forget };
}

function clientOf(clients: InlineDomain['clients'], provider: StoredProvider): ModelClient | undefined {
  try {
    return clients.of(provider);
  } catch (error) {
    if (error instanceof ModelFault) return undefined;
    throw error;
  }
}
