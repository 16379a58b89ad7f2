import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, endpoint, MODEL, STORED_PROMPT } from '../provider-fields.ts';
import { responsesApi, wrongPath } from '../responses/responses-api.ts';
import { openAiClient } from './openai-client.ts';
import { choicesOf, ModelList } from './openai-models.ts';
import { promptsHaveEnded, STORED_PROMPTS_ENDED, storedPromptIn } from './stored-prompt.ts';

const ENDPOINT = 'https://api.openai.com/v1/responses';

export const openai: ModelProvider = {
  name: 'openai',
  title: 'OpenAI',
  fields: [{ ...endpoint('Responses API', ENDPOINT), wrongUrl: wrongPath }, API_KEY, MODEL, ...STORED_PROMPT],
  anyOf: ['model', 'prompt_id'],
  connect: (settings, deps) => {
    const { clock, urls } = deps;
    const { config, secrets } = settings;
    const ours = urls.openai ? `${urls.openai}/v1` : ENDPOINT;
    const { endpoint: given = ENDPOINT } = config;
    const api = responsesApi(given === ENDPOINT ? ours : given, secrets.api_key ?? null, deps);
    const prompt = storedPromptIn(settings);
    const notice = prompt && promptsHaveEnded(clock) ? STORED_PROMPTS_ENDED : null;
    const browse = async (signal: AbortSignal) => {
      const list = await api.ask(ModelList, { method: 'GET', path: '/models', signal });
      return { models: choicesOf(list), agents: [], notice };
    };
    const compacts = given === ENDPOINT;
    return openAiClient({ api, clock, model: config.model ?? null, prompt, compacts, browse });
  },
};
