import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { Gateway } from '../support/gateway.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { waitFor, within } from '../support/wait-for.ts';

let telegram: FakeTelegram;
let pair: GatewayPair;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  pair = await GatewayPair.start({ callee: { env: { SVC_TELEGRAM_API_URL: telegram.url } } });
  gateway = pair.callee;
});
afterAll(async () => {
  await pair?.stop();
  await telegram?.stop();
});

/** What it saw of its calls, in order. */
type Diary = string[];

/** An agent that uses only the tools: it answers messages, accepts calls, and leaves after a goodbye. */
class ScriptedAgent {
  readonly diary: Diary = [];
  readonly #client: McpClient;

  constructor(client: McpClient) {
    this.#client = client;
  }

  /** From a cold start until a person says goodbye. */
  async live(): Promise<void> {
    let cursor: string = (await this.#ask('svc_account')).last_message_cursor;
    for (let isOnDuty = true; isOnDuty; ) {
      const news = await this.#ask('svc_inbox', { last_message_cursor: cursor, wait: 55 });
      cursor = news.cursor;
      for (const event of news.events ?? []) if (event.type === 'call_invite') await this.#take(event);
      for (const conversation of news.conversations)
        for (const message of conversation.messages)
          if (message.direction === 'inbound') isOnDuty = await this.#answer(conversation, message.text);
    }
    for (const { call_id } of (await this.#ask('svc_call_list')).calls)
      this.diary.push((await this.#ask('svc_call_leave', { call_id })).state);
  }

  async #take({ call_id, state }: { call_id: string; state: string }): Promise<void> {
    this.diary.push(state);
    await this.#ask('svc_call_accept', { call_id });
    this.diary.push((await this.#ask('svc_call_status', { call_id })).state);
  }

  /** Whether it stays on duty. */
  async #answer({ platform, conversation_id }: Record<string, string>, text: string): Promise<boolean> {
    const to = { platform, conversation_id };
    await this.#ask('svc_dm_typing', to);
    await this.#ask('svc_dm_chat', { ...to, text: `You said: ${text}` });
    return text !== 'goodbye';
  }

  async #ask(tool: string, input: Record<string, unknown> = {}) {
    const { isError, text, structured } = await this.#client.call(tool, input);
    if (isError) throw new Error(`${tool}: ${text}`);
    return structured;
  }
}

it('an agent works through MCP alone', async () => {
  const bot = telegram.addBot('agents_bot');
  gateway.secrets.add(bot.token);
  await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  const { baseUrl, agentKey: apiKey } = gateway;
  const client = await connectMcp({ kind: 'v2 modern', path: 'http', baseUrl, apiKey });
  const agent = new ScriptedAgent(client);
  const life = agent.live();
  life.catch(() => {});
  const waits = () => waitFor('it to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1);
  const ada = bot.person();

  await waits();
  ada.says('hello');
  await waitFor('an answer', () => ada.received.some(({ text }) => text === 'You said: hello'));

  await waits();
  const outbound = await pair.caller.placeCall(pair.uriOf(await pair.listNumber(false)));
  await pair.caller.waitForState(outbound.call_id, 'active');
  await waitFor('it to look at the call', () => agent.diary.length >= 2);
  expect(agent.diary).toEqual(['ringing', 'active']);

  await waits();
  ada.says('goodbye');
  await within('it to leave', life);
  expect(ada.received.at(-1)?.text).toBe('You said: goodbye');
  expect(agent.diary).toEqual(['ringing', 'active', 'ended']);
  const isOver = async () => (await pair.caller.agentApi.get(`/api/call/${outbound.call_id}`)).status === 404;
  await waitFor('the caller to see the end', isOver);
  await client.close();
});
