import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';

const ALWAYS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildVoiceStates |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.GuildMessageReactions |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.DirectMessageReactions;

const CONTENT_FLAGS = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Who a bot is at Discord. */
export interface BotIdentity {
  readonly userId: string;
  /** Such as `@my_bot`. */
  readonly name: string;
  readonly intents: Intents;
}

interface Intents {
  readonly bits: number;
  /** Privileged intents that the bot could use but that are off, by their names in the developer portal. */
  readonly missing: readonly string[];
}

/** Reads whose token it is. Rejects with a PlatformFailure, also when it belongs to another application. */
export async function identifyBot(
  rest: DiscordRest,
  applicationId: string,
  signal: AbortSignal,
): Promise<BotIdentity> {
  const { id: userId, username } = await rest.me(signal);
  const { id, flags } = await rest.application(signal);
  if (id !== applicationId) {
    const words = `The token belongs to application ${id}, not to ${applicationId}`;
    throw new PlatformFailure('refused', words, { status: 401, isLoggedOut: true });
  }
  return { userId, name: `@${username}`, intents: intentsOf(flags ?? 0) };
}

/**
 * Returns what a bot may ask the gateway for. A privileged intent that is off in the developer portal is not asked for,
 * since Discord would refuse the session (4014).
 */
function intentsOf(applicationFlags: number): Intents {
  return (applicationFlags & CONTENT_FLAGS) === 0
    ? { bits: ALWAYS, missing: ['Message Content'] }
    : { bits: ALWAYS | GatewayIntentBits.MessageContent, missing: [] };
}
