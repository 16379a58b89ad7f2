import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { GatewayTools, ModelMemory, ModelTurn } from './model-client.ts';
import { ModelFault } from './model-fault.ts';

/** Where a provider keeps a conversation whose instructions and tools are fixed at its start. */
const Memory = z.object({ conversation: z.string().min(1), setup: z.string() });
export type ProviderConversation = z.output<typeof Memory>;

/**
 * Returns the id of the turn's conversation at the provider; null: it has none yet. Throws a ModelFault `lost_memory` when
 * the conversation was started with other instructions or tools, so that it is started again.
 */
export function conversationOf({ memory, instructions, tools }: ModelTurn): string | null {
  if (memory === null) return null;
  const known = Memory.safeParse(memory).data;
  if (known?.setup === setupOf(instructions, tools)) return known.conversation;
  throw new ModelFault('lost_memory', { words: 'the instructions or the tools have changed' });
}

/** Returns the id of a conversation that is no longer needed; null: there is none. */
export function forgottenConversation(memory: ModelMemory): string | null {
  return Memory.safeParse(memory).data?.conversation ?? null;
}

export function memoryOf(conversation: string, { instructions, tools }: ModelTurn): ProviderConversation {
  return { conversation, setup: setupOf(instructions, tools) };
}

/** Names the gateway's tools without revealing the bearer. */
export function toolsDigest({ url, bearer }: GatewayTools): string {
  return digest([url, bearer]);
}

function setupOf(instructions: string, tools: GatewayTools | null): string {
  return digest([instructions, tools && [tools.url, tools.bearer]]);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
