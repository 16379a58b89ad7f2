import { toolsDigest } from '../../models/conversation-memory.ts';
import { findProvider } from '../../store/agents/agent-providers.ts';
import type { Db } from '../../store/database/tables.ts';
import { listMemories } from '../../store/inline/model-conversations.ts';
import type { InlineDomain } from '../inline-domain.ts';

/** Limit of conversations of an agent that are deleted at its provider, the newest ones. */
const MAX_KEPT = 500;

/** See `AgentModels.leaveConversations`. */
export async function leaveConversations(
  { store, forgetting }: Pick<InlineDomain, 'store' | 'forgetting'>,
  trx: Db,
  agentId: string,
): Promise<number> {
  const memories = await listMemories(trx, agentId, MAX_KEPT);
  const provider = memories.length > 0 ? await findProvider(trx, store.secrets, agentId) : undefined;
  if (provider) for (const memory of memories) await forgetting.add(trx, provider, { memory });
  return memories.length;
}

/** See `AgentModels.leaveTools`. */
export async function leaveTools(
  { store, forgetting, knownTools }: Pick<InlineDomain, 'store' | 'forgetting' | 'knownTools'>,
  trx: Db,
  agentId: string,
): Promise<void> {
  const tools = await knownTools(trx, agentId);
  const provider = tools && (await findProvider(trx, store.secrets, agentId));
  if (tools && provider) await forgetting.add(trx, provider, { tools: toolsDigest(tools) });
}
