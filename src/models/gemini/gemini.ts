import type { ModelProvider } from '../model-provider.ts';
import { API_KEY, MODEL } from '../provider-fields.ts';
import { accessByKey } from './gemini-access.ts';
import { GeminiClient } from './gemini-client.ts';

export const gemini: ModelProvider = {
  name: 'gemini',
  title: 'Google Gemini',
  fields: [API_KEY, { ...MODEL, isRequired: true }],
  connect: (settings, { http, urls }) => {
    // Models are listed as `models/…`, and asked for without it.
    const model = settings.config.model?.replace(/^models\//, '') ?? '';
    const access = accessByKey(settings.secrets.api_key ?? '', urls.gemini ?? undefined);
    return new GeminiClient({ model, access, http });
  },
};
