import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';
import { type Intents, intentsOf } from './intents.ts';

/** Who a bot is at Discord. */
export interface BotIdentity {
  readonly userId: string;
  /** Such as `@my_bot`. */
  readonly name: string;
  readonly intents: Intents;
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
