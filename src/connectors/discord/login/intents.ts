import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';

const ALWAYS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildVoiceStates |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages;

const CONTENT_FLAGS = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

export interface Intents {
  readonly bits: number;
  /** Privileged intents that the bot could use but that are off, by their names in the developer portal. */
  readonly missing: readonly string[];
}

/**
 * Returns what a bot may ask the gateway for. A privileged intent that is off in the developer portal is not asked for,
 * since Discord would refuse the session (4014).
 */
export function intentsOf(applicationFlags: number): Intents {
  return (applicationFlags & CONTENT_FLAGS) === 0
    ? { bits: ALWAYS, missing: ['Message Content'] }
    : { bits: ALWAYS | GatewayIntentBits.MessageContent, missing: [] };
}
