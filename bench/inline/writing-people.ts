import { join } from 'node:path';
import { FakeTelegram } from '../../test/fakes/telegram/fake-telegram.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { residentBytes } from '../process-usage.ts';
import { HostedGateway } from '../speech/hosted-gateway.ts';
import { LeanModel } from './lean-model.ts';
import { setModel } from './set-model.ts';

/** No call of this bench has hosted speech. */
const NO_VENDOR = 'http://127.0.0.1:9';
const COLLECT_GARBAGE = join(import.meta.dirname, '../soak/collect-garbage.mjs');
/** By then all threads have collected, on a core that others want, too. */
const COLLECTED_MS = 1_500;
/** Telegram takes 30 messages a second of a bot. */
const TURNS_DEADLINE_MS = 60_000;

/** SIP calls, and people who write to a bot whose agent has a model that holds its replies. */
export class WritingPeople {
  readonly gateway: HostedGateway['gateway'];
  readonly callId: string;
  readonly #hosted: HostedGateway;
  readonly #telegram: FakeTelegram;
  readonly #model: LeanModel;
  readonly #generator: Generator;
  #people = 0;

  private constructor(
    parts: { readonly hosted: HostedGateway; readonly telegram: FakeTelegram; readonly callId: string },
    { model, generator }: { readonly model: LeanModel; readonly generator: Generator },
  ) {
    this.gateway = parts.hosted.gateway;
    this.callId = parts.callId;
    this.#hosted = parts.hosted;
    this.#telegram = parts.telegram;
    this.#model = model;
    this.#generator = generator;
  }

  static async start(cores: CorePlan, calls: number): Promise<WritingPeople> {
    const telegram = await FakeTelegram.start();
    const model = await LeanModel.start({ told: () => {}, closed: () => {} });
    const generator = Generator.start(cores.generators);
    const hosted = await HostedGateway.start(cores, generator, NO_VENDOR, {
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_OPENAI_URL: model.url,
      SVC_MODELS_ALLOW: '127.0.0.0/8',
      NODE_OPTIONS: `--import ${COLLECT_GARBAGE}`,
    });
    // Calls come first, so that their events are none of the model's.
    const [callId = ''] = await hosted.place(calls);
    const { settingsApi } = hosted.gateway;
    const bot = { platform: 'telegram', bot_token: telegram.addBot().token };
    const { status, body } = await settingsApi.post('/api/bot-tokens', bot);
    if (status >= 300) throw new Error(`POST bot token: ${status} ${JSON.stringify(body)}`);
    await setModel(hosted.gateway);
    return new WritingPeople({ hosted, telegram, callId }, { model, generator });
  }

  /** So many new people write. Resolves when the model holds its reply to each. */
  async write(count: number): Promise<void> {
    const held = this.#model.held + count;
    const [bot] = this.#telegram.bots;
    for (let i = 0; i < count; i++) {
      const id = 1_000 + this.#people++;
      bot?.person({ id, first_name: `Person ${id}` }).says(`Hold ${id}.`);
    }
    await waitFor(`${count} turns`, () => this.#model.held === held, TURNS_DEADLINE_MS);
  }

  /** Turns that the model holds. */
  get held(): number {
    return this.#model.held;
  }

  /** Lets the model end its replies. Resolves when they have been sent. */
  async endTurns(): Promise<void> {
    this.#model.letGo();
    const turns = async (): Promise<number | null> =>
      await this.gateway.metric('svc_shared_in_use{resource="model_turns"}');
    await waitFor('the turns to end', async () => (await turns()) === 0, TURNS_DEADLINE_MS);
  }

  /** Memory of the gateway without garbage: its main thread's heap with its buffers, and all that is resident. */
  async memory(): Promise<{ readonly heapBytes: number; readonly residentBytes: number }> {
    // What the first collection made free shrinks the heap in the second.
    for (let times = 0; times < 2; times++) {
      process.kill(this.gateway.pid, 'SIGUSR2');
      await new Promise((resolve) => setTimeout(resolve, COLLECTED_MS));
    }
    const heap = await this.gateway.metric('nodejs_heap_size_used_bytes');
    const buffers = await this.gateway.metric('nodejs_external_memory_bytes');
    return {
      heapBytes: (heap ?? Number.NaN) + (buffers ?? Number.NaN),
      residentBytes: residentBytes(this.gateway.pid),
    };
  }

  async stop(): Promise<void> {
    await this.#hosted.stop();
    this.#generator.stop();
    this.#model.stop();
    await this.#telegram.stop();
  }
}
