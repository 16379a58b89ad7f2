import type { ModelProvider } from '../model-provider.ts';
import { MODEL } from '../provider-fields.ts';
import { bedrockApis } from './bedrock-api.ts';
import { bedrockClient } from './bedrock-client.ts';

export const bedrock: ModelProvider = {
  name: 'bedrock',
  title: 'AWS Bedrock',
  fields: [
    { name: 'region', title: 'Region', description: 'Such as eu-west-3', kind: 'text', isRequired: true },
    {
      name: 'api_key',
      title: 'Bedrock API key',
      description: 'Of this region. Leave blank to keep the stored one, or to use an access key',
      kind: 'secret',
    },
    { name: 'access_key_id', title: 'Access key id', description: 'Instead of an API key', kind: 'text' },
    {
      name: 'secret_access_key',
      title: 'Secret access key',
      description: 'Belongs to the access key id',
      kind: 'secret',
    },
    {
      name: 'session_token',
      title: 'Session token',
      description: 'Of temporary access keys only',
      kind: 'secret',
    },
    { ...MODEL, description: 'Id of the model or of the inference profile' },
  ],
  anyOf: ['model'],
  connect: (settings, deps) =>
    bedrockClient({ model: settings.config.model ?? '', ...bedrockApis(settings, deps) }),
};
