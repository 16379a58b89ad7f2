import * as z from 'zod';
import { ModelFault } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';

/** How an endpoint keeps a conversation. */
export type Rung =
  /** By OpenAI's Conversations, which few copies have. */
  | 'conversation'
  /** Each turn names the response before it. */
  | 'chain'
  /** Not at all: each turn brings the whole history. */
  | 'history';

const Memory = z.discriminatedUnion('rung', [
  z.object({ rung: z.literal('conversation'), conversation: z.string().min(1) }),
  z.object({ rung: z.literal('chain'), response: z.string().min(1) }),
  z.object({ rung: z.literal('history') }),
]);
export type CustomMemory = z.output<typeof Memory>;

/** Throws `lost_memory` for a memory of another kind. */
export function readMemory(memory: ModelMemory): CustomMemory {
  const { data } = Memory.safeParse(memory);
  if (data) return data;
  throw new ModelFault('lost_memory', { words: 'the conversation is kept in a place that no longer counts' });
}
