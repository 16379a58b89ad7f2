import type { ModelProvider } from '../model-provider.ts';
import { MODEL } from '../provider-fields.ts';
import { geminiAccess, geminiApi } from './gemini-access.ts';
import { geminiClient } from './gemini-client.ts';

export const gemini: ModelProvider = {
  name: 'gemini',
  title: 'Google Gemini',
  fields: [
    {
      name: 'api_key',
      title: 'API key',
      description: 'Leave blank to keep the stored one, or to use a service account',
      kind: 'secret',
    },
    {
      name: 'service_account',
      title: 'Service account',
      description: 'Its JSON key file, to use Vertex AI instead of an API key',
      kind: 'secret',
      isDocument: true,
    },
    {
      name: 'project',
      title: 'Project',
      description: 'Of Vertex AI. Default: the project of the service account',
      kind: 'text',
    },
    {
      name: 'location',
      title: 'Location',
      description: 'Of Vertex AI, such as europe-west4. Default: global',
      kind: 'text',
    },
    MODEL,
  ],
  anyOf: ['model'],
  connect: (settings, deps) => {
    // Models are listed as `models/…`, and asked for without it.
    const model = settings.config.model?.replace(/^models\//, '') ?? '';
    const access = geminiAccess(settings, deps);
    return geminiClient({ model, ...access, api: geminiApi(access, deps) });
  },
};
