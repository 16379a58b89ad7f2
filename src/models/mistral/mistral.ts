import { unusable } from '../model-fault.ts';
import type { ModelProvider, ModelSettings, ProviderField } from '../model-provider.ts';
import { API_KEY, answererOf, hostedAgent, MODEL } from '../provider-fields.ts';
import { MISTRAL_REGIONS, type MistralRegion, mistralApi } from './mistral-api.ts';
import { mistralClient } from './mistral-client.ts';

const REGION: ProviderField = {
  name: 'region',
  title: 'Region',
  description: 'Where requests are processed: `global`, `eu` or `us`',
  kind: 'text',
  default: 'global',
};

export const mistral: ModelProvider = {
  name: 'mistral',
  title: 'Mistral',
  fields: [API_KEY, MODEL, hostedAgent('`ag_…`, used instead of a model'), REGION],
  anyOf: ['model', 'agent_id'],
  connect: ({ config, secrets }, deps) => {
    const api = mistralApi(secrets.api_key ?? '', regionOf(config), deps);
    return mistralClient(api, deps.clock, answererOf(config));
  },
};

function regionOf({ region = 'global' }: ModelSettings['config']): MistralRegion {
  const known = MISTRAL_REGIONS.find((name) => name === region);
  if (known) return known;
  throw unusable(`region is one of ${MISTRAL_REGIONS.join(', ')}`);
}
