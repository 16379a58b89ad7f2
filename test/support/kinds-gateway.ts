import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from './any-json.ts';
import { Gateway } from './gateway.ts';
import { accepted, KindAgent } from './kind-agents.ts';
import type { ModelKind } from './model-kinds.ts';
import { ModelVendors } from './model-vendors.ts';
import { waitFor } from './wait-for.ts';

/** An agent whose bot somebody writes to. */
export interface WrittenAgent {
  readonly agent: KindAgent;
  readonly person: FakePerson;
}

/** A gateway with an agent of each kind of model. Each has a bot, and a person who writes to it. */
export class KindsGateway {
  readonly gateway: Gateway;
  readonly vendors: ModelVendors;
  readonly #telegram: FakeTelegram;
  readonly #agents = new Map<ModelKind, WrittenAgent>();

  private constructor(gateway: Gateway, vendors: ModelVendors, telegram: FakeTelegram) {
    this.gateway = gateway;
    this.vendors = vendors;
    this.#telegram = telegram;
  }

  static async start(): Promise<KindsGateway> {
    const [telegram, vendors] = await Promise.all([FakeTelegram.start(), ModelVendors.start()]);
    const env = { SVC_TELEGRAM_API_URL: telegram.url, ...vendors.env };
    const gateway = await Gateway.start({ env });
    const world = new KindsGateway(gateway, vendors, telegram);
    for (const [kind, agent] of await KindAgent.all(gateway, vendors)) await world.#addBot(kind, agent);
    return world;
  }

  of(kind: ModelKind): WrittenAgent {
    return this.#agents.get(kind)!;
  }

  /** Somebody writes to an agent and gets a reply. Resolves with the delivery, and with the reply as it arrived. */
  async ask(kind: ModelKind, text: string): Promise<{ readonly reply: string; readonly delivery: AnyJson }> {
    const { agent, person } = this.of(kind);
    const before = person.received.length;
    person.says(text);
    await waitFor(`a reply of ${kind.name}`, () => person.received.length > before);
    const delivery = await waitFor('the end of the delivery', async () => {
      const last = (await agent.deliveries()).at(-1);
      return last?.status === 'delivered' && (await agent.delivery(last.id));
    });
    return { reply: person.received.at(-1)!.text ?? '', delivery };
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#telegram.stop();
    await this.vendors.stop();
  }

  async #addBot(kind: ModelKind, agent: KindAgent): Promise<void> {
    const bot = this.#telegram.addBot();
    this.gateway.secrets.add(bot.token);
    const body = { platform: 'telegram', bot_token: bot.token };
    const { id } = accepted(await this.gateway.settingsApi.post('/api/bot-tokens', body));
    await agent.take('bot_token', id);
    this.#agents.set(kind, { agent, person: bot.person({ id: 1_001, first_name: 'Ann' }) });
  }
}
