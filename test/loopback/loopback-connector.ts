import type { Clock } from '../../src/base/time.ts';
import type { Connector, Provides } from '../../src/connectors/contract/connector.ts';
import type { Bridges } from '../../src/media/transport.ts';
import { LoopbackOAuth, type OAuthOptions } from './connections/loopback-oauth.ts';
import type { ChatOptions } from './messages/loopback-bot.ts';
import { LoopbackChat } from './messages/loopback-chat.ts';
import { PLATFORM } from './platform.ts';
import { Calls } from './signaling/calls.ts';

type LoopbackOptions = OAuthOptions & Omit<ChatOptions, 'clock'>;

/** The loopback platform: everything that a platform can do, at a vendor on 127.0.0.1. */
export class LoopbackConnector implements Connector {
  readonly platform = PLATFORM;
  readonly provides: Provides;
  readonly #chat: LoopbackChat;

  constructor(options: LoopbackOptions, bridges: Bridges, clock: Clock) {
    const chat = new LoopbackChat({ ...options, clock });
    this.#chat = chat;
    this.provides = {
      ...chat.provides,
      calls: new Calls(chat.logins, { ...options, bridges, clock }),
      oauth: new LoopbackOAuth({ ...options, clock }, chat),
    };
  }

  async start(): Promise<void> {
    await this.#chat.start();
  }

  async close(): Promise<void> {
    await this.#chat.close();
  }
}
