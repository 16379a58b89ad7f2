import type { ModelSettings, ProviderField } from './model-provider.ts';

/** Settings that several providers have. */
export const API_KEY: ProviderField = {
  name: 'api_key',
  title: 'API key',
  description: 'Leave blank to keep the stored one',
  kind: 'secret',
  isRequired: true,
};

export const MODEL: ProviderField = {
  name: 'model',
  title: 'Model',
  description: 'Name of the model',
  kind: 'text',
};

/** A prompt stored at the provider has its own model and instructions. */
export const STORED_PROMPT: readonly ProviderField[] = [
  { name: 'prompt_id', title: 'Stored prompt', description: '`pmpt_…`, instead of a model', kind: 'text' },
  {
    name: 'prompt_version',
    title: 'Prompt version',
    description: 'Default: the current version',
    kind: 'text',
  },
];

export function hostedAgent(description: string): ProviderField {
  return { name: 'agent_id', title: 'Existing agent', description, kind: 'text' };
}

export function endpoint(description: string, preset?: string): ProviderField {
  const field = { name: 'endpoint', title: 'Endpoint', description, kind: 'url' } as const;
  return preset === undefined ? { ...field, isRequired: true } : { ...field, default: preset };
}

/** What answers in the conversations: a model, or an agent that the provider hosts. */
export type Answerer = { readonly model: string } | { readonly agentId: string };

/** The choice of `model` or `agent_id`. */
export function answererOf({ agent_id: agentId, model = '' }: ModelSettings['config']): Answerer {
  return agentId ? { agentId } : { model };
}
