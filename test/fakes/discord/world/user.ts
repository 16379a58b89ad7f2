import type { APIUser } from 'discord-api-types/v10';
import { NO_FLAGS } from './no-flags.ts';

/** A person or a bot. */
export interface FakeUser {
  readonly id: string;
  readonly username: string;
  /** The name that others see; null: the username. */
  readonly globalName: string | null;
  readonly isBot: boolean;
}

export function wireUser({ id, username, globalName, isBot }: FakeUser): APIUser {
  return {
    id,
    username,
    discriminator: isBot ? '0001' : '0',
    global_name: globalName,
    avatar: null,
    ...(isBot ? { bot: true } : {}),
    public_flags: NO_FLAGS,
  };
}
