import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, endpoint, hostedAgent, MODEL } from '../provider-fields.ts';

export const foundry: ModelProvider = {
  name: 'foundry',
  title: 'Microsoft Foundry',
  fields: [
    endpoint('Responses API of the project'),
    API_KEY,
    { ...MODEL, description: 'Name of the deployment' },
    hostedAgent('Used instead of a model'),
  ],
  anyOf: ['model', 'agent_id'],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
