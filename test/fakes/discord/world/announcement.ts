import type { GatewayDispatchPayload } from 'discord-api-types/v10';
import type { FakeBot } from '../fake-bot.ts';

type WithoutFrame<Payload> = Payload extends unknown ? Omit<Payload, 'op' | 's'> : never;

/** `t` and `d` of a gateway event. */
export type Dispatch = WithoutFrame<GatewayDispatchPayload>;

/** A session of a bot, as far as it decides about what the bot is told. */
export interface Listener {
  readonly bot: FakeBot;
  readonly intents: number;
}

/** Something that happened: what it means to one listener. Null: they are not told. */
export type Announcement = (listener: Listener) => Dispatch | null;
