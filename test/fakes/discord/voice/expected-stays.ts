import type { VoiceSession } from '../voice-host.ts';
import type { Identify } from './client-messages.ts';
import { VoiceRefusal } from './close-codes.ts';

/** Who may identify, as the main gateway said. */
export class ExpectedStays {
  readonly #stays = new Map<string, VoiceSession>();
  readonly #guilds = new Set<string>();

  /** Returns the stay of the user in this guild that it replaces. */
  expect(stay: VoiceSession): VoiceSession | null {
    const key = keyOf(stay.guildId, stay.userId);
    const former = this.#stays.get(key) ?? null;
    this.#guilds.add(stay.guildId);
    this.#stays.set(key, stay);
    return former;
  }

  /** Returns the stay that has ended; null when there was none. */
  end(guildId: string, userId: string): VoiceSession | null {
    const stay = this.#stays.get(keyOf(guildId, userId)) ?? null;
    this.#stays.delete(keyOf(guildId, userId));
    return stay;
  }

  /** The stay that these credentials are for. */
  check({ server_id: guildId, user_id: userId, session_id: sessionId, token }: Identify): VoiceSession {
    if (!this.#guilds.has(guildId)) throw new VoiceRefusal(4011, `guild ${guildId}`);
    const stay = this.#stays.get(keyOf(guildId, userId));
    if (!stay || stay.sessionId !== sessionId)
      throw new VoiceRefusal(4006, `session ${sessionId} of ${userId}`);
    if (stay.token !== token) throw new VoiceRefusal(4004, `the token of ${userId}`);
    return stay;
  }
}

function keyOf(guildId: string, userId: string): string {
  return `${guildId}:${userId}`;
}
