import type { ModelClient, ModelMemory, ModelTurn } from '../model-client.ts';

/** A turn that only shows whether a reply comes. */
export function probeTurn(text: string, maxOutputTokens: number, signal: AbortSignal): ModelTurn {
  return {
    memory: null,
    history: [],
    instructions: 'Answer in as few words as possible.',
    text,
    marker: text,
    maxOutputTokens,
    isSpoken: true,
    tools: null,
    signal,
  };
}

export const SILENT = { memoryChanged: (): void => {}, text: (): void => {} };

/** Has a client answer one turn in a conversation of its own, and deletes it. */
export async function probeConversation(
  client: Pick<ModelClient, 'turn' | 'forget'>,
  signal: AbortSignal,
): Promise<void> {
  const kept: ModelMemory[] = [];
  const memoryChanged = (memory: ModelMemory): void => void kept.push(memory);
  try {
    await client.turn(probeTurn('Hello', 0, signal), { ...SILENT, memoryChanged });
  } finally {
    // What it leaves behind says nothing about the key.
    for (const memory of kept) await client.forget(memory, signal).catch(() => {});
  }
}
