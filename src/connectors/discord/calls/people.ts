import type { LegObserver, Participant } from '../../contract/call-leg.ts';
import { GuildMember, personName } from '../objects.ts';

/** Names of people are asked for this many at a time. */
const MAX_ASKED = 4;

interface PeopleDeps {
  /** Asks Discord for the name of a member. Rejects when there is no answer. */
  readonly nameOf: (userId: string) => Promise<string>;
  readonly report: LegObserver['participants'];
}

/** The people in a voice channel. Each is reported once their name is known. */
export class People {
  readonly #deps: PeopleDeps;
  readonly #names = new Map<string, string>();
  #present: readonly string[] = [];
  #asked = 0;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
  }

  /** Replaces the list of those who are there. */
  set(userIds: readonly string[]): void {
    this.#present = userIds;
    for (const userId of this.#names.keys()) if (!userIds.includes(userId)) this.#names.delete(userId);
    this.#askNames();
    this.#report();
  }

  /** Takes the name of a user who is there. */
  named(userId: string, name: string): void {
    if (!this.#present.includes(userId)) return;
    this.#names.set(userId, name);
    this.#report();
  }

  #askNames(): void {
    const unnamed = this.#present.filter((userId) => !this.#names.has(userId));
    for (const userId of unnamed.slice(0, MAX_ASKED - this.#asked)) void this.#askName(userId);
  }

  async #askName(userId: string): Promise<void> {
    this.#asked++;
    // Until it is known. Nobody is asked for twice.
    this.#names.set(userId, '');
    const name = await this.#deps.nameOf(userId).catch(() => userId);
    this.#asked--;
    if (this.#names.get(userId) === '') this.named(userId, name);
    this.#askNames();
  }

  #report(): void {
    const known = this.#present.map((id): Participant => ({ id, name: this.#names.get(id) ?? '' }));
    this.#deps.report(known.filter(({ name }) => name !== ''));
  }
}

/** Returns the name that a member shows in the server, of an event's `member`; null when it cannot be read. */
export function memberName(member: unknown): string | null {
  const { nick, user } = GuildMember.safeParse(member).data ?? {};
  if (nick) return nick;
  return user === undefined ? null : personName(user);
}
