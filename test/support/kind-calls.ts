import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { GatewayPair } from './gateway-pair.ts';
import { accepted, KindAgent } from './kind-agents.ts';
import type { ModelKind } from './model-kinds.ts';
import { ModelVendors } from './model-vendors.ts';
import { TonePerson } from './tone-person.ts';

/**
 * Two gateways: one of them has an agent of each kind of model, each with a number and with hosted speech of a fake of
 * Deepgram; from the other one persons call them, who speak in tones.
 */
export class KindCalls {
  readonly vendors: ModelVendors;
  readonly speech: FakeVendor;
  readonly #pair: GatewayPair;
  readonly #agents: ReadonlyMap<ModelKind, KindAgent>;
  readonly #numbers = new Map<ModelKind, string>();

  private constructor(
    vendors: ModelVendors,
    speech: FakeVendor,
    pair: GatewayPair,
    agents: ReadonlyMap<ModelKind, KindAgent>,
  ) {
    this.vendors = vendors;
    this.speech = speech;
    this.#pair = pair;
    this.#agents = agents;
  }

  static async start(greeting: string): Promise<KindCalls> {
    const [vendors, speech] = await Promise.all([ModelVendors.start(), startVendor('deepgram')]);
    const env = { SVC_DEEPGRAM_URL: speech.url, ...vendors.env };
    const pair = await GatewayPair.start({ callee: { env } });
    for (const kind of ['stt', 'tts']) {
      const preset = { kind, provider: 'deepgram', api_key: speech.keyThatIs('valid') };
      accepted(await pair.callee.settingsApi.post('/api/voice-configs', preset));
    }
    const agents = await KindAgent.all(pair.callee, vendors, { greeting });
    const calls = new KindCalls(vendors, speech, pair, agents);
    for (const [kind, agent] of agents) {
      await calls.#addNumber(kind, agent);
      // It finds out how a custom endpoint remembers.
      await agent.health();
    }
    return calls;
  }

  agent(kind: ModelKind): KindAgent {
    return this.#agents.get(kind)!;
  }

  /** A person calls the agent, which accepts. */
  async connect(kind: ModelKind): Promise<TonePerson> {
    const { caller } = this.#pair;
    const { call_id, audio } = await caller.placeCall(this.#pair.uriOf(this.#numbers.get(kind)!));
    const person = await TonePerson.join(audio.stream_url, caller.agentKey);
    await caller.waitForState(call_id, 'active', 15_000);
    return person;
  }

  async stop(): Promise<void> {
    await this.#pair.stop();
    await this.vendors.stop();
    await this.speech.stop();
  }

  async #addNumber(kind: ModelKind, agent: KindAgent): Promise<void> {
    const number = await this.#pair.listNumber(false);
    const { dids } = accepted(await this.#pair.callee.settingsApi.get('/api/sip/dids'));
    await agent.take('sip_number', dids.find((did: { number: string }) => did.number === number).did_id);
    this.#numbers.set(kind, number);
  }
}
