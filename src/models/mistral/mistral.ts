import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, hostedAgent, MODEL } from '../provider-fields.ts';

export const mistral: ModelProvider = {
  name: 'mistral',
  title: 'Mistral',
  fields: [API_KEY, MODEL, hostedAgent('`ag_…`, used instead of a model')],
  anyOf: ['model', 'agent_id'],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
