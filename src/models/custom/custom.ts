import { ModelFault } from '../model-fault.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';

export const custom: ModelProvider = {
  name: 'custom',
  title: 'Custom (Responses)',
  fields: [endpoint('Any Responses-compatible URL'), API_KEY, MODEL, ...STORED_PROMPT],
  anyOf: ['model', 'prompt_id'],
  connect: () => {
    throw new ModelFault('bad_endpoint', { words: 'the gateway has no client for this provider yet' });
  },
};
