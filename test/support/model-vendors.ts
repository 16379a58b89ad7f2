import { FakeAnthropic } from '../fakes/anthropic/fake-anthropic.ts';
import { FakeBedrock } from '../fakes/bedrock/fake-bedrock.ts';
import { FakeChat } from '../fakes/custom/fake-chat.ts';
import { FakeCustom, type MemoryManner } from '../fakes/custom/fake-custom.ts';
import { FakeFoundry } from '../fakes/foundry/fake-foundry.ts';
import { FakeVertex } from '../fakes/gemini/fake-vertex.ts';
import { FakeMistral } from '../fakes/mistral/fake-mistral.ts';
import type { FakeModelVendor } from '../fakes/model-vendor/fake-model-vendor.ts';
import type { Script } from '../fakes/model-vendor/scripted-reply.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';

/** A fake of each vendor of models, and a custom endpoint for each way to remember. */
export class ModelVendors {
  readonly openai = new FakeOpenAi();
  readonly foundry = new FakeFoundry();
  readonly anthropic = new FakeAnthropic();
  readonly mistral = new FakeMistral();
  /** The Gemini API as well. */
  readonly gemini = new FakeVertex();
  readonly bedrock = new FakeBedrock();
  readonly custom = {
    conversations: endpoint('conversations'),
    chain: endpoint('chain'),
    refused: endpoint('refused'),
    forgotten: endpoint('forgotten'),
  };
  readonly chat = new FakeChat();
  /** Agents that somebody has made at the vendors. */
  readonly picked = {
    anthropic: this.anthropic.agents.add({
      name: 'Concierge',
      system: 'You are Ida.',
      model: { id: 'claude-opus-5-5' },
      tools: [],
      mcp_servers: [],
    }),
    mistral: this.mistral.addAgent('Concierge', { instructions: 'You are Ida.' }),
  };

  static async start(): Promise<ModelVendors> {
    const vendors = new ModelVendors();
    await Promise.all(vendors.all.map((vendor) => vendor.start()));
    return vendors;
  }

  /** The settings of a gateway that asks them. */
  get env(): Readonly<Record<string, string>> {
    return {
      SVC_OPENAI_URL: this.openai.url,
      SVC_ENTRA_URL: this.foundry.url,
      SVC_ANTHROPIC_URL: this.anthropic.url,
      SVC_MISTRAL_URL: this.mistral.url,
      SVC_GEMINI_URL: this.gemini.url,
      SVC_BEDROCK_URL: this.bedrock.url,
      SVC_MODELS_ALLOW: '127.0.0.0/8',
    };
  }

  get all(): readonly FakeModelVendor[] {
    const { openai, foundry, anthropic, mistral, gemini, bedrock, custom, chat } = this;
    return [openai, foundry, anthropic, mistral, gemini, bedrock, chat, ...Object.values(custom)];
  }

  /** All models answer like this. */
  set reply(script: Script) {
    for (const vendor of this.all) vendor.reply = script;
  }

  /** Requests against the vendors' documentation. */
  get offences(): readonly string[] {
    return this.all.flatMap(({ offences }) => offences);
  }

  /** All conversations are gone, as after the end of their time. */
  loseAll(): void {
    for (const { stored } of [this.openai, this.foundry, ...Object.values(this.custom)]) stored.loseAll();
    this.anthropic.sessions.clear();
    this.mistral.conversations.clear();
    this.gemini.interactions.clear();
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((vendor) => vendor.stop()));
  }
}

function endpoint(memory: MemoryManner): FakeCustom {
  const vendor = new FakeCustom();
  vendor.memory = memory;
  return vendor;
}
