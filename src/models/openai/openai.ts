import { JsonApi } from '../http/json-api.ts';
import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';
import { readApiError } from '../responses/response-faults.ts';
import { ResponsesApi } from '../responses/responses-api.ts';
import { readEndpoint } from '../responses/responses-endpoint.ts';
import { OpenAiClient } from './openai-client.ts';
import { storedPromptIn } from './stored-prompt.ts';

const ENDPOINT = 'https://api.openai.com/v1/responses';

export const openai: ModelProvider = {
  name: 'openai',
  title: 'OpenAI',
  fields: [endpoint('Responses API', ENDPOINT), API_KEY, MODEL, ...STORED_PROMPT],
  anyOf: ['model', 'prompt_id'],
  connect: (settings, { http, clock, urls }) => {
    const { config, secrets } = settings;
    const ours = urls.openai ? `${urls.openai}/v1` : ENDPOINT;
    const { baseUrl, query } = readEndpoint(
      config.endpoint === undefined || config.endpoint === ENDPOINT ? ours : config.endpoint,
    );
    const key = secrets.api_key ?? '';
    const api = new JsonApi({
      http,
      clock,
      baseUrl,
      headers: { authorization: `Bearer ${key}` },
      secrets: [key],
      readError: readApiError,
    });
    return new OpenAiClient({
      api: new ResponsesApi(async () => api, query),
      clock,
      model: config.model ?? null,
      prompt: storedPromptIn(settings),
    });
  },
};
