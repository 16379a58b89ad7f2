import { Routes } from 'discord-api-types/v10';
import * as z from 'zod';
import type { OutboundMessage, SendOutcome } from '../../contract/messenger.ts';
import type { VoiceRest } from '../gateway/voice-signaling.ts';
import { Application, Channel, GatewayBot, Guild, GuildMember, Message, User } from './discord-objects.ts';
import { personName } from './person-name.ts';
import type { RestClient } from './rest-client.ts';
import { sendMessage } from './send-message.ts';

const DEADLINE_MS = 15_000;
const TYPING_DEADLINE_MS = 4_000;
const Opened = Channel.pick({ id: true });

/** The requests that the gateway makes as one bot. Each rejects with a DiscordFailure. */
export class DiscordRest implements VoiceRest {
  readonly #client: RestClient;

  constructor(client: RestClient) {
    this.#client = client;
  }

  async me(signal: AbortSignal): Promise<User> {
    return await this.get(User, Routes.user(), signal);
  }

  async application(signal: AbortSignal): Promise<z.output<typeof Application>> {
    return await this.get(Application, Routes.currentApplication(), signal);
  }

  async gatewayBot(signal: AbortSignal): Promise<z.output<typeof GatewayBot>> {
    return await this.get(GatewayBot, Routes.gatewayBot(), signal);
  }

  async channel(channelId: string, signal: AbortSignal): Promise<Channel> {
    return await this.get(Channel, Routes.channel(channelId), signal);
  }

  async guild(guildId: string, signal: AbortSignal): Promise<z.output<typeof Guild>> {
    return await this.get(Guild, Routes.guild(guildId), signal);
  }

  async message(channelId: string, messageId: string, signal: AbortSignal): Promise<Message> {
    return await this.get(Message, Routes.channelMessage(channelId, messageId), signal);
  }

  /** Returns the oldest messages after one, at most 100, in no particular order. One that cannot be read is null. */
  async messagesAfter(
    channelId: string,
    messageId: string,
    signal: AbortSignal,
  ): Promise<(Message | null)[]> {
    return await this.#client.ask(
      z.array(Message.nullable().catch(null)),
      {
        method: 'GET',
        path: Routes.channelMessages(channelId),
        query: { after: messageId, limit: '100' },
        deadlineMs: DEADLINE_MS,
      },
      signal,
    );
  }

  /** Returns the channel of direct messages with a person. */
  async directChannel(personId: string, signal: AbortSignal): Promise<string> {
    const body = { recipient_id: personId };
    const request = { method: 'POST', path: Routes.userChannels(), body, deadlineMs: DEADLINE_MS } as const;
    return (await this.#client.ask(Opened, request, signal)).id;
  }

  async sendMessage(
    channelId: string,
    message: Pick<OutboundMessage, 'messageId' | 'text' | 'attachments'>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    return await sendMessage(this.#client, channelId, message, signal);
  }

  async showTyping(channelId: string, signal: AbortSignal): Promise<void> {
    const path = Routes.channelTyping(channelId);
    await this.#client.ask(z.unknown(), { method: 'POST', path, deadlineMs: TYPING_DEADLINE_MS }, signal);
  }

  async memberName(guildId: string, userId: string, signal: AbortSignal): Promise<string> {
    const { nick, user } = await this.get(GuildMember, Routes.guildMember(guildId, userId), signal);
    return nick ?? (user ? personName(user) : userId);
  }

  async get<Schema extends z.ZodType>(
    schema: Schema,
    path: `/${string}`,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    return await this.#client.ask(schema, { method: 'GET', path, deadlineMs: DEADLINE_MS }, signal);
  }
}
