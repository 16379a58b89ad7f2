import type { Clock } from '../base/time.ts';

/** Credentials that are remembered; whoever wrote longest ago is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** Which credentials have written to somebody, and when last; in memory, for the probe that waits for it. */
export class AgentReplies {
  readonly #clock: Clock;
  readonly #writtenAt = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  written(credentialId: string): void {
    // Deleted first, so that the map keeps the order in which they wrote last.
    this.#writtenAt.delete(credentialId);
    this.#writtenAt.set(credentialId, this.#clock.nowIso());
    if (this.#writtenAt.size > MAX_REMEMBERED) this.#writtenAt.delete(this.#writtenAt.keys().next().value!);
  }

  hasReplied(credentialId: string, sinceIso: string): boolean {
    const writtenAt = this.#writtenAt.get(credentialId);
    return writtenAt !== undefined && writtenAt >= sinceIso;
  }
}
