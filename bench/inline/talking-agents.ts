import type { Gateway } from '../../test/support/gateway.ts';
import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { SpeakerWatch } from '../speech/far-ends/lean-speaker.ts';
import { HostedGateway } from '../speech/hosted-gateway.ts';
import { LeanModel, type ModelWatch } from './lean-model.ts';
import { PromptedVendor } from './prompted-vendor.ts';

/** Calls of an agent with a model, whose persons say what the bench tells them to. */
export class TalkingAgents {
  readonly vendor: PromptedVendor;
  readonly hosted: HostedGateway;
  readonly #model: LeanModel;
  readonly #generator: Generator;

  private constructor(
    parts: Pick<TalkingAgents, 'vendor' | 'hosted'>,
    { model, generator }: { readonly model: LeanModel; readonly generator: Generator },
  ) {
    this.vendor = parts.vendor;
    this.hosted = parts.hosted;
    this.#model = model;
    this.#generator = generator;
  }

  static async start(cores: CorePlan, watch: ModelWatch & SpeakerWatch): Promise<TalkingAgents> {
    const [vendor, model] = await Promise.all([PromptedVendor.start(watch), LeanModel.start(watch)]);
    const generator = Generator.start(cores.generators);
    const env = { SVC_OPENAI_URL: model.url, SVC_MODELS_ALLOW: '127.0.0.0/8' };
    const hosted = await HostedGateway.start(cores, generator, vendor.url, env);
    await hosted.host();
    await setModel(hosted.gateway);
    return new TalkingAgents({ vendor, hosted }, { model, generator });
  }

  async stop(): Promise<void> {
    await this.hosted.stop();
    this.#generator.stop();
    this.#model.stop();
    this.vendor.stop();
  }
}

async function setModel({ settingsApi }: Gateway): Promise<void> {
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const provider = { provider: 'openai', config: { api_key: 'key-of-the-bench', model: 'gpt-6-luna' } };
  const { status, body } = await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, provider);
  if (status !== 200) throw new Error(`PATCH provider: ${status} ${JSON.stringify(body)}`);
}
