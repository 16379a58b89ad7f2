/** The model providers that an agent can have. */
export const PROVIDER_NAMES = [
  'openai',
  'anthropic',
  'gemini',
  'foundry',
  'bedrock',
  'mistral',
  'custom',
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** One setting of a provider. All values are strings. */
export interface ProviderField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A secret is encrypted and never shown. A url is where secrets are sent. */
  readonly kind: 'text' | 'url' | 'secret';
  readonly isRequired?: true;
  readonly default?: string;
}

export interface ProviderKind {
  readonly name: ProviderName;
  readonly title: string;
  readonly fields: readonly ProviderField[];
  /** At least one of these fields is required. */
  readonly anyOf?: readonly string[];
}

const API_KEY: ProviderField = {
  name: 'api_key',
  title: 'API key',
  description: 'Leave blank to keep the stored one',
  kind: 'secret',
  isRequired: true,
};

const MODEL: ProviderField = {
  name: 'model',
  title: 'Model',
  description: 'Name of the model',
  kind: 'text',
};

/** A prompt stored at the provider has its own model and instructions. */
const STORED_PROMPT: readonly ProviderField[] = [
  { name: 'prompt_id', title: 'Stored prompt', description: '`pmpt_…`, instead of a model', kind: 'text' },
  {
    name: 'prompt_version',
    title: 'Prompt version',
    description: 'Default: the current version',
    kind: 'text',
  },
];

function hostedAgent(description: string): ProviderField {
  return { name: 'agent_id', title: 'Existing agent', description, kind: 'text' };
}

function endpoint(description: string, preset?: string): ProviderField {
  const field = { name: 'endpoint', title: 'Endpoint', description, kind: 'url' } as const;
  return preset === undefined ? { ...field, isRequired: true } : { ...field, default: preset };
}

/** The settings of each provider. */
export const PROVIDER_CATALOG: readonly ProviderKind[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    fields: [
      endpoint('Responses API', 'https://api.openai.com/v1/responses'),
      API_KEY,
      MODEL,
      ...STORED_PROMPT,
    ],
    anyOf: ['model', 'prompt_id'],
  },
  {
    name: 'anthropic',
    title: 'Anthropic (Managed Agents)',
    fields: [API_KEY, MODEL, hostedAgent('`agent_…`, used instead of a model')],
    anyOf: ['model', 'agent_id'],
  },
  { name: 'gemini', title: 'Google Gemini', fields: [API_KEY, { ...MODEL, isRequired: true }] },
  {
    name: 'foundry',
    title: 'Microsoft Foundry',
    fields: [
      endpoint('Responses API of the project'),
      API_KEY,
      { ...MODEL, description: 'Name of the deployment' },
      hostedAgent('Used instead of a model'),
    ],
    anyOf: ['model', 'agent_id'],
  },
  {
    name: 'bedrock',
    title: 'AWS Bedrock',
    fields: [
      { name: 'region', title: 'Region', description: 'Such as eu-west-3', kind: 'text', isRequired: true },
      { name: 'access_key_id', title: 'Access key id', description: '', kind: 'text', isRequired: true },
      { ...API_KEY, name: 'secret_access_key', title: 'Secret access key' },
      { ...MODEL, description: 'Id of the model or of the inference profile', isRequired: true },
    ],
  },
  {
    name: 'mistral',
    title: 'Mistral',
    fields: [API_KEY, MODEL, hostedAgent('`ag_…`, used instead of a model')],
    anyOf: ['model', 'agent_id'],
  },
  {
    name: 'custom',
    title: 'Custom (Responses)',
    fields: [endpoint('Any Responses-compatible URL'), API_KEY, MODEL, ...STORED_PROMPT],
    anyOf: ['model', 'prompt_id'],
  },
];

export function providerKind(name: ProviderName): ProviderKind {
  return PROVIDER_CATALOG.find((kind) => kind.name === name)!;
}
