import { systemClock } from '../../../src/base/time.ts';
import { MODEL_PROVIDERS } from '../../../src/models/all-providers.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { ProviderName } from '../../../src/models/model-provider.ts';
import { FakeAnthropic } from '../../fakes/anthropic/fake-anthropic.ts';
import { NOVA } from '../../fakes/bedrock/bedrock-models.ts';
import { FakeBedrock } from '../../fakes/bedrock/fake-bedrock.ts';
import { FakeChat } from '../../fakes/custom/fake-chat.ts';
import { FakeCustom } from '../../fakes/custom/fake-custom.ts';
import { FakeFoundry } from '../../fakes/foundry/fake-foundry.ts';
import { FakeGemini } from '../../fakes/gemini/fake-gemini.ts';
import { FakeMistral } from '../../fakes/mistral/fake-mistral.ts';
import type { FakeModelVendor } from '../../fakes/model-vendor/fake-model-vendor.ts';
import type { Refusal } from '../../fakes/model-vendor/vendor-fault.ts';
import { FakeOpenAi } from '../../fakes/openai/fake-openai.ts';
import type { TestHttp } from './turn-parts.ts';

/** A vendor of models, as our clients see it. */
export interface VendorUnderTest {
  readonly name: ProviderName;
  readonly newFake: () => FakeModelVendor;
  readonly model: string;
  readonly config?: (fake: FakeModelVendor) => Readonly<Record<string, string>>;
  /** HTTP statuses of its refusals. */
  readonly statuses: Readonly<Record<Refusal, number>>;
  /** Refusals with which it says how long to wait. */
  readonly waits: readonly Refusal[];
  /** The request whose answer is the reply. */
  readonly replies: RegExp;
  /** The request that gives it the gateway's bearer; null: none does. */
  readonly takesBearer: RegExp | null;
  /** What it does not answer is no fault: some keys may not list models, and some endpoints have no list. */
  readonly listIsOptional?: true;
}

const RESPONSES = /POST .*\/responses/;
const STATUSES = {
  bad_key: 401,
  no_access: 403,
  quota: 429,
  rate_limited: 429,
  overloaded: 503,
  server_error: 500,
};

export const VENDORS: readonly VendorUnderTest[] = [
  {
    name: 'openai',
    newFake: () => new FakeOpenAi(),
    model: 'gpt-6-luna',
    statuses: STATUSES,
    waits: ['rate_limited', 'overloaded'],
    replies: RESPONSES,
    takesBearer: RESPONSES,
  },
  {
    name: 'anthropic',
    newFake: () => new FakeAnthropic(),
    model: 'claude-opus-5-5',
    statuses: { ...STATUSES, quota: 402, overloaded: 529 },
    waits: ['rate_limited'],
    replies: /GET .*\/stream$/,
    takesBearer: /POST .*credentials$/,
  },
  {
    name: 'gemini',
    newFake: () => new FakeGemini(),
    model: 'gemini-3.8-flash',
    statuses: { ...STATUSES, bad_key: 400 },
    waits: ['rate_limited', 'quota'],
    replies: /POST .*interactions/,
    takesBearer: /POST .*interactions/,
  },
  {
    name: 'foundry',
    newFake: () => new FakeFoundry(),
    model: 'gpt-6-luna',
    config: ({ url }) => ({ endpoint: url }),
    statuses: STATUSES,
    waits: ['rate_limited', 'overloaded'],
    replies: RESPONSES,
    takesBearer: RESPONSES,
  },
  {
    name: 'bedrock',
    newFake: () => new FakeBedrock(),
    model: NOVA,
    config: (fake) => ({ region: (fake as FakeBedrock).region }),
    statuses: { ...STATUSES, bad_key: 403 },
    waits: [],
    replies: /POST .*converse-stream/,
    takesBearer: null,
    listIsOptional: true,
  },
  {
    name: 'mistral',
    newFake: () => new FakeMistral(),
    model: 'mistral-large-latest',
    statuses: { ...STATUSES, quota: 402 },
    waits: ['rate_limited'],
    replies: /POST .*\/conversations/,
    takesBearer: /credentials$/,
  },
  {
    name: 'custom',
    newFake: () => new FakeCustom(),
    model: 'llama-5-8b',
    config: ({ url }) => ({ endpoint: `${url}/v1`, mcp: 'on' }),
    statuses: STATUSES,
    waits: ['rate_limited', 'overloaded'],
    replies: RESPONSES,
    takesBearer: RESPONSES,
    listIsOptional: true,
  },
  {
    name: 'custom',
    newFake: () => new FakeChat(),
    model: 'qwen-7',
    config: ({ url }) => ({ endpoint: `${url}/v1/chat/completions` }),
    statuses: STATUSES,
    waits: ['rate_limited', 'overloaded'],
    replies: /POST .*\/chat\/completions/,
    takesBearer: null,
    listIsOptional: true,
  },
];

/** Our client of the vendor's fake. */
export function connect(
  { name, model, config = () => ({}) }: VendorUnderTest,
  fake: FakeModelVendor,
  { http, key = fake.key }: { readonly http: TestHttp; readonly key?: string },
): ModelClient {
  const provider = MODEL_PROVIDERS.find((one) => one.name === name)!;
  const settings = { config: { model, ...config(fake) }, secrets: { api_key: key } };
  return provider.connect(settings, { http, clock: systemClock, urls: { [name]: fake.url } });
}
