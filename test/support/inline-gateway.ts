import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from './gateway.ts';
import { readGatewayRows } from './gateway-database.ts';
import { waitFor } from './wait-for.ts';

/** A delivery as the database has it. */
export interface DeliveryRow {
  readonly id: string;
  readonly agent_id: string;
  readonly event_id: number | null;
  readonly status: string;
  readonly error_type: string | null;
  readonly turn_id: string | null;
}

const UNDER_WAY = new Set(['queued', 'sent', 'answered']);

/** A gateway whose default agent has a model of a fake of OpenAI, and a bot of a fake of Telegram. */
export class InlineGateway {
  readonly gateway: Gateway;
  readonly telegram: FakeTelegram;
  readonly bot: FakeBot;
  readonly openai: FakeOpenAi;
  readonly agentId: string;

  private constructor(parts: Pick<InlineGateway, 'gateway' | 'telegram' | 'bot' | 'openai' | 'agentId'>) {
    this.gateway = parts.gateway;
    this.telegram = parts.telegram;
    this.bot = parts.bot;
    this.openai = parts.openai;
    this.agentId = parts.agentId;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<InlineGateway> {
    const telegram = await FakeTelegram.start();
    const openai = await new FakeOpenAi().start();
    const bot = telegram.addBot();
    const gateway = await Gateway.start({
      env: {
        SVC_TELEGRAM_API_URL: telegram.url,
        SVC_OPENAI_URL: openai.url,
        SVC_MODELS_ALLOW: '127.0.0.0/8',
        ...env,
      },
    });
    gateway.secrets.add(bot.token);
    gateway.secrets.add(openai.key);
    await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
    const { agents } = (await gateway.settingsApi.get('/api/agents')).body;
    const world = new InlineGateway({ gateway, telegram, bot, openai, agentId: agents[0].id });
    const set = await world.setProvider({});
    if (set.status !== 200) throw new Error(`PATCH provider: ${set.status} ${JSON.stringify(set.body)}`);
    return world;
  }

  async setProvider(fields: Readonly<Record<string, unknown>>) {
    return await this.gateway.settingsApi.patch(`/api/agents/${this.agentId}/provider`, {
      provider: 'openai',
      config: { api_key: this.openai.key, model: 'gpt-6-luna' },
      ...fields,
    });
  }

  /** Another agent with the same model, and a bot of its own. */
  async secondAgent(): Promise<{ readonly agentId: string; readonly bot: FakeBot }> {
    const { settingsApi } = this.gateway;
    const bot = this.telegram.addBot();
    this.gateway.secrets.add(bot.token);
    const { id: agentId } = (await settingsApi.post('/api/agents', { name: 'Second' })).body;
    const added = (await settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token }))
      .body;
    const member = { account_type: 'bot_token', account_id: added.id };
    await settingsApi.post(`/api/agents/${agentId}/accounts`, member);
    await settingsApi.delete(`/api/agents/${this.agentId}/accounts/bot_token/${added.id}`);
    await settingsApi.patch(`/api/agents/${agentId}/provider`, {
      provider: 'openai',
      config: { api_key: this.openai.key, model: 'gpt-6-luna' },
    });
    return { agentId, bot };
  }

  /** All deliveries, oldest first. */
  deliveries(): DeliveryRow[] {
    const columns = 'id, agent_id, event_id, status, error_type, turn_id';
    return readGatewayRows<DeliveryRow>(
      this.gateway.dataFolder,
      `select ${columns} from deliveries order by seq`,
    );
  }

  /** Waits until nothing is under way, and returns all deliveries. */
  async settled(count: number): Promise<DeliveryRow[]> {
    return await waitFor('the deliveries to end', () => {
      const all = this.deliveries();
      return all.length >= count && !all.some(({ status }) => UNDER_WAY.has(status)) ? all : null;
    });
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.telegram.stop();
    await this.openai.stop();
  }
}
