import { anthropic } from './anthropic/anthropic.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { custom } from './custom/custom.ts';
import { foundry } from './foundry/foundry.ts';
import { gemini } from './gemini/gemini.ts';
import { mistral } from './mistral/mistral.ts';
import type { ModelProvider, ProviderName } from './model-provider.ts';
import { openai } from './openai/openai.ts';

/** The providers of models, in the order of the catalog. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  openai,
  anthropic,
  gemini,
  foundry,
  bedrock,
  mistral,
  custom,
];

export function modelProvider(name: ProviderName): ModelProvider {
  return MODEL_PROVIDERS.find((provider) => provider.name === name)!;
}
