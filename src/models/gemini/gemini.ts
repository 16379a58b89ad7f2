import { ModelFault } from '../model-fault.ts';
import type { ModelProvider, ModelSettings } from '../model-provider.ts';
import { API_KEY, MODEL } from '../provider-fields.ts';
import { accessByKey } from './gemini-access.ts';
import { GeminiClient } from './gemini-client.ts';

export const gemini: ModelProvider = {
  name: 'gemini',
  title: 'Google Gemini',
  fields: [API_KEY, { ...MODEL, isRequired: true }],
  connect: (settings, { http, urls }) => {
    const model = modelOf(settings);
    const access = accessByKey(settings.secrets.api_key ?? '', urls.gemini ?? undefined);
    return new GeminiClient({ model, access, http });
  },
};

/** Models are listed as `models/…`, and asked for without it. */
function modelOf({ config }: ModelSettings): string {
  const model = config.model?.replace(/^models\//, '') ?? '';
  if (model === '') throw new ModelFault('bad_request', { words: 'model is missing' });
  return model;
}
