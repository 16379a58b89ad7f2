import type { Clock } from '../../base/time.ts';
import type { ModelSettings } from '../model-provider.ts';

/** A prompt that is stored at the provider, as its API takes it. */
export interface StoredPrompt {
  readonly id: string;
  readonly version?: string;
}

/** https://developers.openai.com/api/docs/deprecations */
const END = '2026-11-30T00:00:00.000Z';

export const STORED_PROMPTS_ENDED =
  'OpenAI ended stored prompts on 30 November 2026. Choose a model instead, and put the text into the system prompt.';

export function promptsHaveEnded(clock: Clock): boolean {
  return clock.nowIso() >= END;
}

export function storedPromptIn({
  config: { prompt_id, prompt_version },
}: ModelSettings): StoredPrompt | null {
  if (prompt_id === undefined) return null;
  return prompt_version === undefined ? { id: prompt_id } : { id: prompt_id, version: prompt_version };
}
