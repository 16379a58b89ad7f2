import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

/** Answers to other bots in a row in one conversation, within an hour, after which those bots are not heard. */
export const MOST_ANSWERS = 10;
const WINDOW_MS = 3_600_000;
const MOST_CONVERSATIONS = 10_000;

interface Exchange {
  readonly sinceMs: number;
  answers: number;
  isTold: boolean;
}

/** What becomes of a bot's message. `ended`: it is the first one that is not heard. */
export type Hearing = 'heard' | 'ended' | 'unheard';

/**
 * Keeps two bots that answer each other from doing so for ever, on every platform. Only answers count: an agent that reads
 * a bot's news and is silent hears all of it. A person who writes there starts the count anew, and so does the hour
 * after its first answer. In memory, so a restart does too.
 */
export class BotExchanges {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #exchanges = new LimitedMap<Exchange>(MOST_CONVERSATIONS);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  personWrote(conversationId: string): void {
    this.#exchanges.delete(conversationId);
  }

  /** A bot wrote. `isAnswered`: the newest message there is ours, so it is taken for the answer to the one before. */
  botWrote(conversationId: string, isAnswered: boolean): Hearing {
    const exchange = this.#exchangeIn(conversationId);
    if (exchange === null) return 'heard';
    if (isAnswered && exchange.answers < MOST_ANSWERS) exchange.answers += 1;
    if (exchange.answers < MOST_ANSWERS) return 'heard';
    if (exchange.isTold) return 'unheard';
    exchange.isTold = true;
    return 'ended';
  }

  /** Null: one begins. Its first message follows no answer of its own. */
  #exchangeIn(conversationId: string): Exchange | null {
    const known = this.#exchanges.get(conversationId);
    const nowMs = this.#clock.monotonicMs();
    if (known && nowMs - known.sinceMs < WINDOW_MS) return known;
    this.#exchanges.set(conversationId, { sinceMs: nowMs, answers: 0, isTold: false });
    return null;
  }
}
