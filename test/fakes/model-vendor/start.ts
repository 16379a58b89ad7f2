import { FakeAnthropic } from '../anthropic/fake-anthropic.ts';
import { NOVA } from '../bedrock/bedrock-models.ts';
import { FakeBedrock } from '../bedrock/fake-bedrock.ts';
import { FakeChat } from '../custom/fake-chat.ts';
import { FakeCustom } from '../custom/fake-custom.ts';
import { FakeFoundry } from '../foundry/fake-foundry.ts';
import { FakeGemini } from '../gemini/fake-gemini.ts';
import { FakeMistral } from '../mistral/fake-mistral.ts';
import type { FakeModelVendor } from './fake-model-vendor.ts';
import { modelUse } from './model-use.ts';

/** How a vendor is tried out. */
interface Trial {
  readonly vendor: FakeModelVendor;
  /** The name of the provider, if it is another one. */
  readonly provider?: string;
  readonly port: number;
  /** The gateway's setting for this vendor's host; null: the agent's settings have it. */
  readonly setting: string | null;
  /** An agent's settings, apart from the key. */
  readonly config: (url: string) => Readonly<Record<string, string>>;
}

const TRIALS = {
  custom: (): Trial => ({
    vendor: new FakeCustom(),
    port: 8_100,
    setting: null,
    config: (url) => ({ endpoint: `${url}/v1`, model: 'llama-5-8b' }),
  }),
  chat: (): Trial => ({
    vendor: new FakeChat(),
    provider: 'custom',
    port: 8_106,
    setting: null,
    config: (url) => ({ endpoint: `${url}/v1/chat/completions`, model: 'qwen-7' }),
  }),
  foundry: (): Trial => ({
    vendor: new FakeFoundry(),
    port: 8_101,
    setting: null,
    config: (url) => ({ endpoint: url, model: 'my-deployment' }),
  }),
  gemini: (): Trial => ({
    vendor: new FakeGemini(),
    port: 8_102,
    setting: 'SVC_GEMINI_URL',
    config: () => ({ model: 'gemini-3.8-flash' }),
  }),
  bedrock: (): Trial => ({
    vendor: new FakeBedrock(),
    port: 8_103,
    setting: 'SVC_BEDROCK_URL',
    config: () => ({ region: 'eu-west-3', model: NOVA }),
  }),
  anthropic: (): Trial => ({
    vendor: new FakeAnthropic(),
    port: 8_104,
    setting: 'SVC_ANTHROPIC_URL',
    config: () => ({ model: 'claude-opus-5-5' }),
  }),
  mistral: (): Trial => ({
    vendor: new FakeMistral(),
    port: 8_105,
    setting: 'SVC_MISTRAL_URL',
    config: () => ({ model: 'mistral-large-latest' }),
  }),
} as const;

export type ModelVendorName = keyof typeof TRIALS;

/** Starts a vendor of models and says how to use it. */
export async function startFake(name: ModelVendorName, [port]: readonly string[]): Promise<void> {
  const { vendor, provider: kind = name, port: usualPort, setting, config }: Trial = TRIALS[name]();
  const { url, key } = await vendor.start(Number(port ?? usualPort));
  const provider = { provider: kind, config: { ...config(url), api_key: key } };
  const host = setting === null ? '' : `${setting}=${url} `;
  console.log(`${name}: ${url}

${modelUse(host, provider)}
Any other key is wrong. Press Ctrl-C to stop it.`);
}
