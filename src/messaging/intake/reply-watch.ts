import type { Clock } from '../../base/time.ts';
import { DelayLine } from '../inbox/delay-line.ts';

/** Specification, "Limits": DM reply window. */
export const REPLY_MS = 60_000;
/** Maximum number of conversations watched at a time; those beyond it get no timeout message. */
export const MOST_WATCHED = 50_000;

/** Detects people who get no answer within 60 s of their first unanswered message. */
export class ReplyWatch {
  readonly #line: DelayLine;
  readonly #onSkipped: () => void;

  /** `onLate` is called once per wait that times out. */
  constructor(clock: Clock, onLate: (conversationId: string) => void, onSkipped: () => void) {
    this.#line = new DelayLine(clock, REPLY_MS, onLate);
    this.#onSkipped = onSkipped;
  }

  /** Number of conversations with an unanswered message. */
  get watched(): number {
    return this.#line.size;
  }

  isWatched(conversationId: string): boolean {
    return this.#line.has(conversationId);
  }

  /** Starts the timer when a person writes. A timer that is already running is not extended. */
  begin(conversationId: string): void {
    if (this.#line.has(conversationId)) return;
    if (this.#line.size >= MOST_WATCHED) this.#onSkipped();
    else this.#line.put(conversationId);
  }

  /** Restarts the 60-second reply window, if one is running, because the agent shows progress. */
  extend(conversationId: string): void {
    if (this.#line.has(conversationId)) this.#line.put(conversationId);
  }

  /** Stops the timer when an answer is sent. Returns false if none was running. */
  answered(conversationId: string): boolean {
    return this.#line.remove(conversationId);
  }

  close(): void {
    this.#line.close();
  }
}
