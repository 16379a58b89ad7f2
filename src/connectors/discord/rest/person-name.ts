import type { User } from './discord-objects.ts';

/** Returns the name that a person shows everywhere. */
export function personName({ global_name: shown, username }: User): string {
  return shown || username;
}
