import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, MODEL } from '../provider-fields.ts';

export const bedrock: ModelProvider = {
  name: 'bedrock',
  title: 'AWS Bedrock',
  fields: [
    { name: 'region', title: 'Region', description: 'Such as eu-west-3', kind: 'text', isRequired: true },
    { name: 'access_key_id', title: 'Access key id', description: '', kind: 'text', isRequired: true },
    { ...API_KEY, name: 'secret_access_key', title: 'Secret access key' },
    { ...MODEL, description: 'Id of the model or of the inference profile', isRequired: true },
  ],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
