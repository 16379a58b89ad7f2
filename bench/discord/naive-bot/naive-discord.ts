import type { DiscordGatewayAdapterCreator, DiscordGatewayAdapterLibraryMethods } from '@discordjs/voice';
import { GatewayDispatchEvents, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { WebSocket } from 'ws';

const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildVoiceStates;

/** A bot's session at Discord's gateway, as far as voice needs it. */
export class NaiveDiscord {
  readonly #socket: WebSocket;
  readonly #token: string;
  /** Voice connections by the ids of their servers. */
  readonly #voices = new Map<string, DiscordGatewayAdapterLibraryMethods>();
  readonly #ready = Promise.withResolvers<void>();
  #seq: number | null = null;
  userId = '';

  private constructor(socket: WebSocket, token: string) {
    this.#socket = socket;
    this.#token = token;
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString())));
    socket.on('error', () => {});
  }

  static async login(apiUrl: string, token: string): Promise<NaiveDiscord> {
    const headers = { Authorization: `Bot ${token}`, 'User-Agent': 'DiscordBot (https://example.com, 1.0)' };
    const answer = await fetch(`${apiUrl}/v10/gateway/bot`, { headers });
    const { url } = (await answer.json()) as { url: string };
    const discord = new NaiveDiscord(new WebSocket(`${url}/?v=10&encoding=json`), token);
    await discord.#ready.promise;
    return discord;
  }

  adapter(guildId: string): DiscordGatewayAdapterCreator {
    return (voice) => {
      this.#voices.set(guildId, voice);
      return {
        sendPayload: (payload) => {
          this.#socket.send(JSON.stringify(payload));
          return true;
        },
        destroy: () => this.#voices.delete(guildId),
      };
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: one would not check it
  #take({ op, t, s, d }: any): void {
    this.#seq = s ?? this.#seq;
    if (op === GatewayOpcodes.Hello) this.#identify(d.heartbeat_interval);
    else if (t === GatewayDispatchEvents.Ready) {
      this.userId = d.user.id;
      this.#ready.resolve();
    } else if (t === GatewayDispatchEvents.VoiceServerUpdate)
      this.#voices.get(d.guild_id)?.onVoiceServerUpdate(d);
    else if (t === GatewayDispatchEvents.VoiceStateUpdate && d.user_id === this.userId)
      this.#voices.get(d.guild_id)?.onVoiceStateUpdate(d);
  }

  #identify(heartbeatMs: number): void {
    setInterval(() => this.#send(GatewayOpcodes.Heartbeat, this.#seq), heartbeatMs);
    const properties = { os: 'linux', browser: 'naive', device: 'naive' };
    this.#send(GatewayOpcodes.Identify, { token: this.#token, intents: INTENTS, properties });
  }

  #send(op: GatewayOpcodes, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }
}
