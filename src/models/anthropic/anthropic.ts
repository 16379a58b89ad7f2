import type { ModelProvider, ModelSettings } from '../model-provider.ts';
import { API_KEY, hostedAgent, MODEL } from '../provider-fields.ts';
import { anthropicApi } from './anthropic-api.ts';
import { AnthropicClient } from './anthropic-client.ts';
import type { Answerer } from './sessions.ts';

/** https://platform.claude.com/docs/en/managed-agents */
export const anthropic: ModelProvider = {
  name: 'anthropic',
  title: 'Anthropic (Managed Agents)',
  fields: [API_KEY, MODEL, hostedAgent('`agent_…`, used instead of a model')],
  anyOf: ['model', 'agent_id'],
  connect: ({ config, secrets }, deps) => {
    const api = anthropicApi(secrets.api_key ?? '', deps);
    return new AnthropicClient({ api, clock: deps.clock, answerer: answererOf(config) });
  },
};

function answererOf({ agent_id: agentId, model = '' }: ModelSettings['config']): Answerer {
  return agentId ? { agentId } : { model };
}
