import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, answererOf, hostedAgent, MODEL } from '../provider-fields.ts';
import { anthropicApi } from './anthropic-api.ts';
import { anthropicClient } from './anthropic-client.ts';

/** https://platform.claude.com/docs/en/managed-agents */
export const anthropic: ModelProvider = {
  name: 'anthropic',
  title: 'Anthropic (Managed Agents)',
  fields: [API_KEY, MODEL, hostedAgent('`agent_…`, used instead of a model')],
  anyOf: ['model', 'agent_id'],
  connect: ({ config, secrets }, deps) => {
    const api = anthropicApi(secrets.api_key ?? '', deps);
    return anthropicClient({ api, clock: deps.clock, answerer: answererOf(config) });
  },
};
