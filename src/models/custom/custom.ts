import { ModelFault } from '../model-fault.ts';
import type { ModelProvider, ProviderField } from '../model-provider.ts';
import { storedPromptIn } from '../openai/stored-prompt.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';
import { responsesApi, wrongPath } from '../responses/responses-api.ts';
import { customClient } from './custom-client.ts';
import { withoutThoughts } from './without-thoughts.ts';

const KEY: ProviderField = {
  name: 'api_key',
  title: API_KEY.title,
  description: 'Leave blank to keep the stored one. A server of your own may need none',
  kind: 'secret',
};

const MCP: ProviderField = {
  name: 'mcp',
  title: 'Reading by MCP',
  description: '`on`: the endpoint gets a bearer with which it reads what the agent may read',
  kind: 'text',
  default: 'off',
};

export const custom: ModelProvider = {
  name: 'custom',
  title: 'Custom (Responses)',
  fields: [
    { ...endpoint('Any Responses-compatible URL'), wrongUrl: wrongPath },
    KEY,
    MODEL,
    ...STORED_PROMPT,
    MCP,
  ],
  anyOf: ['model', 'prompt_id'],
  connect: (settings, deps) => {
    const { config, secrets } = settings;
    const { mcp = MCP.default } = config;
    if (mcp !== 'on' && mcp !== 'off')
      throw new ModelFault('bad_request', { words: 'mcp must be on or off' });
    const client = customClient({
      api: responsesApi(config.endpoint ?? '', secrets.api_key ?? null, deps),
      model: config.model ?? null,
      prompt: storedPromptIn(settings),
      mayRead: mcp === 'on',
    });
    return withoutThoughts(client);
  },
};
