import type { DiscordRecords, StoredSession } from '../discord-records.ts';

/**
 * The session of one bot, in memory and on disk. What is on disk never claims more than what was handled, so Discord
 * repeats the rest to the next process. A new session is kept back until the gap before it is filled: a crash until
 * then fills it again.
 */
export class SessionKeeper {
  readonly #records: Pick<DiscordRecords, 'putSession'>;
  readonly #loginKey: string;
  readonly #onFailure: (error: unknown) => void;
  #session: StoredSession | null;
  #isComplete = true;
  #isDirty = false;
  #writing: Promise<void> | null = null;

  constructor(
    records: Pick<DiscordRecords, 'putSession'>,
    loginKey: string,
    stored: StoredSession | null,
    onFailure: (error: unknown) => void,
  ) {
    this.#records = records;
    this.#loginKey = loginKey;
    this.#session = stored;
    this.#onFailure = onFailure;
  }

  get session(): StoredSession | null {
    return this.#session;
  }

  /** A new session has begun, after events that Discord will not repeat. */
  begin(session: StoredSession): void {
    this.#session = session;
    this.#isComplete = false;
    this.#write();
  }

  /** The gap before this session is filled. */
  complete(sessionId: string): void {
    if (this.#session?.sessionId !== sessionId) return;
    this.#isComplete = true;
    this.#write();
  }

  handled(sequence: number): void {
    if (this.#session === null || sequence <= this.#session.sequence) return;
    this.#session = { ...this.#session, sequence };
    if (this.#isComplete) this.#write();
  }

  /** Discord no longer knows the session. */
  end(): void {
    this.#session = null;
    this.#isComplete = true;
    this.#write();
  }

  /** Resolves when the newest state is on disk. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  /** Writes the newest state. While that is in progress, what comes is gathered for one more write. */
  #write(): void {
    this.#isDirty = true;
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      try {
        await this.#records.putSession(this.#loginKey, this.#isComplete ? this.#session : null);
      } catch (error) {
        // The former state stays on disk: Discord repeats more than needed.
        this.#onFailure(error);
      }
    }
    this.#writing = null;
  }
}
