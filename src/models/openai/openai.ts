import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';

export const openai: ModelProvider = {
  name: 'openai',
  title: 'OpenAI',
  fields: [
    endpoint('Responses API', 'https://api.openai.com/v1/responses'),
    API_KEY,
    MODEL,
    ...STORED_PROMPT,
  ],
  anyOf: ['model', 'prompt_id'],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
