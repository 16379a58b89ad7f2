import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import type { AnyJson } from './any-json.ts';
import type { Gateway } from './gateway.ts';
import { GatewayPair } from './gateway-pair.ts';
import { TonePerson } from './tone-person.ts';
import { waitFor } from './wait-for.ts';

/** A call of a person to an agent with a model. */
export interface InlineCall {
  readonly person: TonePerson;
  /** The call at the person's gateway. */
  readonly outboundId: string;
}

/**
 * Two gateways: at one of them the default agent has a model of a fake of OpenAI, and hosted speech of a fake of
 * Deepgram; from the other one persons call it, who speak in tones.
 */
export class InlineCalls {
  readonly pair: GatewayPair;
  readonly openai: FakeOpenAi;
  readonly speech: FakeVendor;
  readonly agentId: string;

  private constructor(parts: Pick<InlineCalls, 'pair' | 'openai' | 'speech' | 'agentId'>) {
    this.pair = parts.pair;
    this.openai = parts.openai;
    this.speech = parts.speech;
    this.agentId = parts.agentId;
  }

  /** `provider`: more fields of the agent's provider; `settings`: more of the gateway's. */
  static async start(
    provider: Readonly<Record<string, unknown>> = {},
    settings: Readonly<Record<string, string>> = {},
  ): Promise<InlineCalls> {
    const speech = await startVendor('deepgram');
    const openai = await new FakeOpenAi().start();
    const env = {
      SVC_DEEPGRAM_URL: speech.url,
      SVC_OPENAI_URL: openai.url,
      SVC_MODELS_ALLOW: '127.0.0.0/8',
      ...settings,
    };
    const pair = await GatewayPair.start({ callee: { env } });
    const { settingsApi, secrets } = pair.callee;
    secrets.add(openai.key);
    const { agents } = (await settingsApi.get('/api/agents')).body;
    const calls = new InlineCalls({ pair, openai, speech, agentId: agents[0].id });
    for (const kind of ['stt', 'tts']) {
      const preset = { kind, provider: 'deepgram', api_key: speech.keyThatIs('valid') };
      accepted(await settingsApi.post('/api/voice-configs', preset));
    }
    const config = { api_key: openai.key, model: 'gpt-6-luna' };
    await calls.setProvider({ provider: 'openai', config, ...provider });
    return calls;
  }

  /** The gateway of the agent. */
  get gateway(): Gateway {
    return this.pair.callee;
  }

  async setProvider(fields: Readonly<Record<string, unknown>>): Promise<void> {
    accepted(await this.gateway.settingsApi.patch(`/api/agents/${this.agentId}/provider`, fields));
  }

  /** A person calls the agent. */
  async ring(autoAnswer = false): Promise<InlineCall> {
    const { caller } = this.pair;
    const number = await this.pair.listNumber(autoAnswer);
    const { call_id, audio } = await caller.placeCall(this.pair.uriOf(number));
    const person = await TonePerson.join(audio.stream_url, caller.agentKey);
    return { person, outboundId: call_id };
  }

  /** A person calls the agent, which accepts. */
  async connect(autoAnswer = false): Promise<InlineCall> {
    const call = await this.ring(autoAnswer);
    await this.pair.caller.waitForState(call.outboundId, 'active', 15_000);
    return call;
  }

  /** Waits until this many turns have been answered or have failed, and returns all deliveries, oldest first. */
  async deliveries(turns: number): Promise<AnyJson[]> {
    return await waitFor(`${turns} turns to end`, async () => {
      const { body } = await this.gateway.settingsApi.get(`/api/agents/${this.agentId}/deliveries`);
      const all: AnyJson[] = body.deliveries.toReversed();
      return all.filter(({ status }) => status === 'delivered' || status === 'failed').length >= turns && all;
    });
  }

  /** One delivery with its actions. */
  async delivery(id: string): Promise<AnyJson> {
    return (await this.gateway.settingsApi.get(`/api/agent-deliveries/${id}`)).body;
  }

  async stop(): Promise<void> {
    await this.pair.stop();
    await this.openai.stop();
    await this.speech.stop();
  }
}

function accepted({ status, body }: { status: number; body: unknown }): void {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
}
