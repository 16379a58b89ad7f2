import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, hostedAgent, MODEL } from '../provider-fields.ts';

export const anthropic: ModelProvider = {
  name: 'anthropic',
  title: 'Anthropic (Managed Agents)',
  fields: [API_KEY, MODEL, hostedAgent('`agent_…`, used instead of a model')],
  anyOf: ['model', 'agent_id'],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
