import type { SentCommit } from './sent-commit.ts';

/** A commit of those whose turn it is not waits so long for one of the others. */
const HOLD_MS = 500;

/**
 * Whose commit counts. With Discord the first one wins. Here bots and people take turns, so that a bot lives through both
 * its own commits and those of others.
 */
export class CommitTurns {
  readonly #release: (userId: string, commit: SentCommit) => void;
  #isTurnOfBots = false;
  #timer: NodeJS.Timeout | null = null;

  /** Calls `release` with a held commit when nobody else came in time. */
  constructor(release: (userId: string, commit: SentCommit) => void) {
    this.#release = release;
  }

  isTurnOf(isBot: boolean): boolean {
    return isBot === this.#isTurnOfBots;
  }

  pass(): void {
    this.#isTurnOfBots = !this.#isTurnOfBots;
  }

  hold(userId: string, commit: SentCommit): void {
    this.clear();
    this.#timer = setTimeout(() => this.#release(userId, commit), HOLD_MS);
  }

  /** Forgets the held commit. */
  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
