import type { ModelTurn } from '../model-client.ts';

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

export const SILENT = { remembered: (): void => {}, text: (): void => {} };
