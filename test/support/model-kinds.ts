import type { ProviderName } from '../../src/models/model-provider.ts';
import { LASTING_KEY } from '../fakes/bedrock/access-keys.ts';
import { CLAUDE_IN_EUROPE, NOVA } from '../fakes/bedrock/bedrock-models.ts';
import type { MemoryManner } from '../fakes/custom/fake-custom.ts';
import { CLIENT_ID, CLIENT_SECRET, TENANT_ID } from '../fakes/foundry/entra.ts';
import { STRANGERS_KEY_FILE } from '../fakes/gemini/fake-vertex.ts';
import type { FakeModelVendor } from '../fakes/model-vendor/fake-model-vendor.ts';
import type { ModelVendors } from './model-vendors.ts';

export type ProviderConfig = Readonly<Record<string, string>>;

/** A way in which an agent can have a model. */
export interface ModelKind {
  readonly name: string;
  readonly provider: ProviderName;
  readonly vendorOf: (vendors: ModelVendors) => FakeModelVendor;
  /** The settings of an agent, with its secrets. */
  readonly config: (vendors: ModelVendors) => ProviderConfig;
  /** Settings with a secret that the vendor does not know. */
  readonly wrongKey: ProviderConfig;
  /** Settings that name what the vendor does not have. */
  readonly unknown: ProviderConfig;
  /** Some of what can be chosen. Null: the vendor has no list of these. */
  readonly offers: { readonly model: string; readonly agent: string | null };
  /** The vendor keeps the conversation, so it may lose it. */
  readonly isKept: boolean;
  /** Conversations that the vendor has. Null: it keeps none, or none that can be deleted. */
  readonly deletable: ((vendors: ModelVendors) => number) | null;
}

const WRONG = 'wrong-key-0123456789-abcdef';

const custom = (memory: MemoryManner, parts: Pick<ModelKind, 'isKept' | 'deletable'>): ModelKind => ({
  name: `custom, memory ${memory}`,
  provider: 'custom',
  vendorOf: (vendors) => vendors.custom[memory],
  config: ({ custom: { [memory]: vendor } }) => ({
    endpoint: `${vendor.url}/v1`,
    api_key: vendor.key,
    model: 'llama-5-8b',
  }),
  wrongKey: { api_key: WRONG },
  unknown: { model: 'llama-0' },
  offers: { model: 'llama-5-8b', agent: null },
  ...parts,
});

const foundry = (
  name: string,
  parts: Pick<ModelKind, 'config' | 'wrongKey' | 'unknown' | 'offers'>,
): ModelKind => ({
  name: `foundry, ${name}`,
  provider: 'foundry',
  vendorOf: (vendors) => vendors.foundry,
  isKept: true,
  deletable: ({ foundry: { stored } }) => stored.ids.length,
  ...parts,
});

const foundryAgent = (agent_id: string): ModelKind =>
  foundry(agent_id, {
    config: (vendors) => ({
      endpoint: vendors.foundry.projectUrl,
      tenant_id: TENANT_ID,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      agent_id,
    }),
    wrongKey: { client_secret: WRONG },
    unknown: { agent_id: 'nobody' },
    offers: { model: 'my-deployment', agent: agent_id },
  });

const anthropic = (name: string, parts: Pick<ModelKind, 'config' | 'unknown'>): ModelKind => ({
  name: `anthropic, ${name}`,
  provider: 'anthropic',
  vendorOf: (vendors) => vendors.anthropic,
  wrongKey: { api_key: WRONG },
  offers: { model: 'claude-opus-5-5', agent: 'Concierge' },
  isKept: true,
  deletable: ({ anthropic: { sessions } }) => sessions.size,
  ...parts,
});

const mistral = (name: string, parts: Pick<ModelKind, 'config' | 'unknown'>): ModelKind => ({
  name: `mistral, ${name}`,
  provider: 'mistral',
  vendorOf: (vendors) => vendors.mistral,
  wrongKey: { api_key: WRONG },
  offers: { model: 'mistral-large-latest', agent: 'Concierge' },
  isKept: true,
  deletable: ({ mistral: { conversations } }) => conversations.size,
  ...parts,
});

const gemini = (name: string, parts: Pick<ModelKind, 'config' | 'wrongKey'>): ModelKind => ({
  name,
  provider: 'gemini',
  vendorOf: (vendors) => vendors.gemini,
  unknown: { model: 'gemini-0' },
  offers: { model: 'gemini-3.8-flash', agent: null },
  isKept: true,
  deletable: ({ gemini: { interactions } }) => interactions.size,
  ...parts,
});

const bedrock = (name: string, parts: Pick<ModelKind, 'config' | 'wrongKey'>): ModelKind => ({
  name: `bedrock, ${name}`,
  provider: 'bedrock',
  vendorOf: (vendors) => vendors.bedrock,
  unknown: { model: 'amazon.nova-0' },
  offers: { model: NOVA, agent: null },
  isKept: false,
  deletable: null,
  ...parts,
});

/** Every provider of models, in every way in which it is asked. */
export const MODEL_KINDS: readonly ModelKind[] = [
  {
    name: 'openai',
    provider: 'openai',
    vendorOf: (vendors) => vendors.openai,
    config: ({ openai: { key } }) => ({ api_key: key, model: 'gpt-6-luna' }),
    wrongKey: { api_key: WRONG },
    unknown: { model: 'gpt-0' },
    offers: { model: 'gpt-6-luna', agent: null },
    isKept: true,
    deletable: ({ openai: { stored } }) => stored.ids.length,
  },
  custom('conversations', {
    isKept: true,
    deletable: (vendors) => vendors.custom.conversations.stored.ids.length,
  }),
  custom('chain', { isKept: true, deletable: null }),
  custom('refused', { isKept: false, deletable: null }),
  custom('forgotten', { isKept: false, deletable: null }),
  {
    name: 'custom, Chat Completions',
    provider: 'custom',
    vendorOf: (vendors) => vendors.chat,
    config: ({ chat: { url, key } }) => ({
      endpoint: `${url}/v1/chat/completions`,
      api_key: key,
      model: 'qwen-7',
    }),
    wrongKey: { api_key: WRONG },
    unknown: { model: 'llama-0' },
    offers: { model: 'qwen-7', agent: null },
    isKept: false,
    deletable: null,
  },
  foundry('deployment', {
    config: (vendors) => ({
      endpoint: vendors.foundry.resourceUrl,
      api_key: vendors.foundry.key,
      model: 'my-deployment',
    }),
    wrongKey: { api_key: WRONG },
    unknown: { model: 'no-deployment' },
    offers: { model: 'my-deployment', agent: null },
  }),
  foundryAgent('support-agent'),
  foundryAgent('container-agent'),
  anthropic('created', {
    config: ({ anthropic: { key } }) => ({ api_key: key, model: 'claude-opus-5-5' }),
    unknown: { model: 'claude-0' },
  }),
  anthropic('picked', {
    config: ({ anthropic: { key }, picked }) => ({ api_key: key, agent_id: picked.anthropic.id }),
    unknown: { agent_id: 'agent_nobody' },
  }),
  mistral('created', {
    config: (vendors) => ({ api_key: vendors.mistral.key, model: 'mistral-large-latest' }),
    unknown: { model: 'mistral-0' },
  }),
  mistral('picked', {
    config: (vendors) => ({ api_key: vendors.mistral.key, agent_id: vendors.picked.mistral.id }),
    unknown: { agent_id: 'ag_nobody' },
  }),
  gemini('gemini', {
    config: (vendors) => ({ api_key: vendors.gemini.key, model: 'gemini-3.8-flash' }),
    wrongKey: { api_key: WRONG },
  }),
  gemini('gemini in Vertex AI', {
    config: (vendors) => ({ service_account: vendors.gemini.keyFile, model: 'gemini-3.8-flash' }),
    wrongKey: { service_account: STRANGERS_KEY_FILE },
  }),
  bedrock('bearer', {
    config: (vendors) => ({ region: vendors.bedrock.region, api_key: vendors.bedrock.key, model: NOVA }),
    wrongKey: { api_key: WRONG },
  }),
  bedrock('SigV4', {
    config: (vendors) => ({
      region: vendors.bedrock.region,
      access_key_id: LASTING_KEY.accessKeyId,
      secret_access_key: LASTING_KEY.secretAccessKey,
      model: CLAUDE_IN_EUROPE,
    }),
    wrongKey: { secret_access_key: WRONG },
  }),
];
