import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { SpeakerWatch } from '../speech/far-ends/lean-speaker.ts';
import { HostedGateway } from '../speech/hosted-gateway.ts';
import { LeanModel, type ModelWatch } from './lean-model.ts';
import { PromptedVendor } from './prompted-vendor.ts';
import { setModel } from './set-model.ts';

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
