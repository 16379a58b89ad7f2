import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, MODEL } from '../provider-fields.ts';

export const gemini: ModelProvider = {
  name: 'gemini',
  title: 'Google Gemini',
  fields: [API_KEY, { ...MODEL, isRequired: true }],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
