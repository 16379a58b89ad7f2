import type { Clock } from '../../base/time.ts';
import { DelayLine } from '../inbox/delay-line.ts';

/** Specification, "Limits": DM reply window. */
export const REPLY_MS = 60_000;
/** Conversations that may be watched at the same time; of those on top nobody is told anything. */
export const MOST_WATCHED = 50_000;

/** Notices people who get no answer within 60 s of the first message that nobody has answered. */
export class ReplyWatch {
  readonly #line: DelayLine;
  readonly #onSkipped: () => void;

  /** `onLate` hears of each conversation once. */
  constructor(clock: Clock, onLate: (conversationId: string) => void, onSkipped: () => void) {
    this.#line = new DelayLine(clock, REPLY_MS, onLate);
    this.#onSkipped = onSkipped;
  }

  /** Conversations in which somebody waits for an answer. */
  get watched(): number {
    return this.#line.size;
  }

  isWatched(conversationId: string): boolean {
    return this.#line.has(conversationId);
  }

  /** Somebody wrote. One who has been waiting since an earlier message does not wait longer for this one. */
  begin(conversationId: string): void {
    if (this.#line.has(conversationId)) return;
    if (this.#line.size >= MOST_WATCHED) this.#onSkipped();
    else this.#line.put(conversationId);
  }

  /** The agent shows that it works on it: whoever waits, waits 60 s from now. */
  extend(conversationId: string): void {
    if (this.#line.has(conversationId)) this.#line.put(conversationId);
  }

  /** An answer goes out. False: nobody was waiting for one. */
  answered(conversationId: string): boolean {
    return this.#line.remove(conversationId);
  }

  close(): void {
    this.#line.close();
  }
}
