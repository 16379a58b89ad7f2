import type { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Generator } from '../generator/generator.ts';
import { CALLS_A_BOT, type DiscordFarEnds } from './far-ends/discord-far-ends.ts';
import type { LeanBot } from './far-ends/orders.ts';

const PLACED_AT_ONCE = 8;
const ACTIVE_DEADLINE_MS = 30_000;

interface DiscordCallsDeps {
  readonly gateway: Gateway;
  readonly farEnds: DiscordFarEnds;
  /** Its telephones are those of the people. */
  readonly generator: Generator;
}

/** A bot at Discord and at the gateway. */
interface Login {
  readonly id: string;
  readonly bot: LeanBot;
}

/** Calls of the gateway in voice channels, each with a person and an agent who speak all the time. */
export class DiscordCalls {
  readonly #deps: DiscordCallsDeps;
  readonly #logins: Login[] = [];
  readonly #callIds = new Set<string>();
  #opened = 0;

  constructor(deps: DiscordCallsDeps) {
    this.#deps = deps;
  }

  /** Places calls, each with a telephone of the generator that was not used before. Resolves when all speak. */
  async place(count: number): Promise<void> {
    const { gateway, generator } = this.#deps;
    const phonePorts = await generator.openPhones(count);
    const streamUrls: string[] = [];
    while (streamUrls.length < count) {
      const urls: { readonly login: Login; readonly url: string }[] = [];
      for (const port of phonePorts.slice(streamUrls.length, streamUrls.length + PLACED_AT_ONCE))
        urls.push(await this.#openChannel(port));
      streamUrls.push(...(await Promise.all(urls.map(({ login, url }) => this.#placeOne(login, url)))));
    }
    await waitFor(`${this.#callIds.size} active calls`, () => this.#areActive(), ACTIVE_DEADLINE_MS);
    await generator.joinAgents(streamUrls, gateway.agentKey);
  }

  async hangUp(): Promise<void> {
    const { agentApi } = this.#deps.gateway;
    for (const callId of this.#callIds) await agentApi.delete(`/api/call/${callId}`);
    const areOver = async () => (await this.#active()).every((callId) => !this.#callIds.has(callId));
    await waitFor('the calls to end', areOver, ACTIVE_DEADLINE_MS);
    this.#callIds.clear();
  }

  async #openChannel(phonePort: number): Promise<{ login: Login; url: string }> {
    const { farEnds, generator } = this.#deps;
    const phone = this.#opened++;
    const login = this.#logins[Math.floor(phone / CALLS_A_BOT)] ?? (await this.#addBot());
    const { guildId, channelId, port } = await farEnds.openChannel(login.bot, phonePort);
    generator.call(phone, '127.0.0.1', port);
    return { login, url: `https://discord.com/channels/${guildId}/${channelId}` };
  }

  async #addBot(): Promise<Login> {
    const { farEnds, gateway } = this.#deps;
    const bot = await farEnds.addBot();
    const request = { platform: 'discord', bot_token: bot.token, discord_app_id: bot.applicationId };
    const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', request);
    if (body.status !== 'ok') throw new Error(`POST bot token: ${status} ${JSON.stringify(body)}`);
    const login = { id: body.id, bot };
    this.#logins.push(login);
    return login;
  }

  /** Returns the URL of the call's WebSocket. */
  async #placeOne(login: Login, url: string): Promise<string> {
    const call = await this.#deps.gateway.placeCall(url, { platform: 'discord', login_id: login.id });
    this.#callIds.add(call.call_id);
    return call.audio.stream_url;
  }

  async #areActive(): Promise<boolean> {
    const active = new Set(await this.#active());
    return [...this.#callIds].every((callId) => active.has(callId));
  }

  async #active(): Promise<string[]> {
    const { body } = await this.#deps.gateway.agentApi.get('/api/calls');
    const calls: { call_id: string; state: string }[] = Array.isArray(body) ? body : body.calls;
    return calls.filter(({ state }) => state === 'active').map(({ call_id: callId }) => callId);
  }
}
