import { chatClient } from '../chat/chat-client.ts';
import { OWN_SERVER } from '../http/patience.ts';
import type { ModelClient } from '../model-client.ts';
import { unusable } from '../model-fault.ts';
import type { ModelDeps, ModelProvider, ModelSettings, ProviderField } from '../model-provider.ts';
import { storedPromptIn } from '../openai/stored-prompt.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';
import { bearerApi, responsesApi, wrongPath } from '../responses/responses-api.ts';
import { browseEndpoint, customClient } from './custom-client.ts';
import { withoutThoughts } from './without-thoughts.ts';

const KEY: ProviderField = {
  name: 'api_key',
  title: API_KEY.title,
  description: 'Leave blank to keep the stored one. A server of your own may need none',
  kind: 'secret',
};

const RESPONSES = 'responses';
const CHAT = 'chat_completions';
const CHAT_PATH = /\/chat\/completions\/?$/;

const API: ProviderField = {
  name: 'api',
  title: 'API',
  description: `\`${RESPONSES}\` or \`${CHAT}\`. Default: what the path of the endpoint says, else \`${RESPONSES}\``,
  kind: 'text',
};

const MCP: ProviderField = {
  name: 'mcp',
  title: 'Reading by MCP',
  description: `\`on\`: the endpoint gets a bearer with which it reads what the agent may read. Only with \`${RESPONSES}\``,
  kind: 'text',
  default: 'off',
};

export const custom: ModelProvider = {
  name: 'custom',
  title: 'Custom (Responses, Chat Completions)',
  fields: [
    {
      ...endpoint(
        'URL of a Responses API (`…/v1/responses`) or of Chat Completions (`…/v1/chat/completions`)',
      ),
      wrongUrl: wrongCustomPath,
    },
    KEY,
    MODEL,
    API,
    ...STORED_PROMPT,
    MCP,
  ],
  anyOf: ['model', 'prompt_id'],
  connect: (settings, deps) => withoutThoughts(clientOf(settings, deps)),
};

function clientOf(settings: ModelSettings, deps: ModelDeps): ModelClient {
  const { config, secrets } = settings;
  const { endpoint: url = '', mcp = MCP.default, model = null } = config;
  const key = secrets.api_key ?? null;
  const prompt = storedPromptIn(settings);
  const api = apiOf(config);
  if (mcp !== 'on' && mcp !== 'off') throw unusable('mcp must be on or off');
  if (api === RESPONSES)
    return customClient({
      api: responsesApi(url, key, deps, OWN_SERVER),
      model,
      prompt,
      mayRead: mcp === 'on',
    });
  if (prompt !== null) throw unusable('a stored prompt needs a Responses API; choose a model');
  if (mcp === 'on') throw unusable('reading by MCP needs a Responses API; mcp must be off');
  const chat = bearerApi(
    {
      endpoint: url,
      key,
      wrongPath: wrongCustomPath,
      path: CHAT_PATH,
      isRepeatable: true,
      patience: OWN_SERVER,
    },
    deps,
  );
  return chatClient({ api: chat, model, browse: (signal) => browseEndpoint(chat, signal) });
}

function apiOf({ api, endpoint: url = '' }: ModelSettings['config']): typeof RESPONSES | typeof CHAT {
  if (api === undefined) return CHAT_PATH.test(URL.parse(url)?.pathname ?? '') ? CHAT : RESPONSES;
  if (api === RESPONSES || api === CHAT) return api;
  throw unusable(`api must be ${RESPONSES} or ${CHAT}`);
}

function wrongCustomPath(url: URL): string | null {
  if (CHAT_PATH.test(url.pathname)) return null;
  const words = wrongPath(url);
  return words && `${words}, or that of Chat Completions`;
}
