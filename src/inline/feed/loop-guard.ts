import { hash } from 'node:crypto';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import { weightOf } from './machine-signs.ts';

/** From this score on, the model waits before it answers. */
export const SLOW_SCORE = 6;
/** At this score it no longer answers for a while. */
export const STOP_SCORE = 12;
const FIRST_PAUSE_MS = 2_000;
/** With the turn after it, still less than the time after which people get the gateway's own text. */
const LONGEST_PAUSE_MS = 20_000;
const STOP_MS = 15 * 60_000;
/** An exchange that rests for so long is over. */
const REST_MS = 3_600_000;
const MOST_EXCHANGES = 20_000;

/** Who writes to an agent's model, and where. */
export interface Heard {
  readonly agentId: string;
  /** The conversation. */
  readonly lane: string;
  /** Null: the person whom the conversation is with. */
  readonly senderId: string | null;
  readonly text: string;
}

/** `stopped`: the model is not called. `isFirst`: it was for the message before. */
export type Verdict =
  | { readonly kind: 'open'; readonly pauseMs: number }
  | { readonly kind: 'stopped'; readonly isFirst: boolean };

interface Exchange {
  score: number;
  heardMs: number;
  /** SHA-256 of the newest text: texts are long, and there are many exchanges. */
  digest: string;
  stoppedUntilMs: number;
}

/**
 * Keeps a model and a machine that answer each other from doing so for ever, on every platform. What a sender writes after
 * the model has written raises or lowers a score by how much it looks like a machine's; the model then waits, longer each
 * time, and at last says nothing for a quarter of an hour. In a group each sender has a score, so people are still
 * answered there. In memory: a restart begins anew, within the agent's budget.
 */
export class LoopGuard {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By agent, conversation and sender. */
  readonly #exchanges = new LimitedMap<Exchange>(MOST_EXCHANGES);
  /** When each agent has last written in each conversation. */
  readonly #answered = new LimitedMap<number>(MOST_EXCHANGES);

  readonly #told = new LimitedMap<number>(MOST_EXCHANGES);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** An agent's model has written. */
  answered({ agentId, lane }: Pick<Heard, 'agentId' | 'lane'>): void {
    this.#answered.set(`${agentId} ${lane}`, this.#clock.monotonicMs());
  }

  /** Returns whether something is noted for the first time within an hour, to be told once. */
  isNews(what: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const toldMs = this.#told.get(what);
    if (toldMs !== undefined && nowMs - toldMs < REST_MS) return false;
    this.#told.set(what, nowMs);
    return true;
  }

  /** Judges a message to an agent's model. */
  hear(heard: Heard): Verdict {
    const nowMs = this.#clock.monotonicMs();
    const exchange = this.#exchangeOf(heard, nowMs);
    if (nowMs < exchange.stoppedUntilMs) return { kind: 'stopped', isFirst: false };
    const digest = hash('sha256', heard.text, 'base64url');
    const isRepeated = digest === exchange.digest;
    exchange.score = Math.max(0, exchange.score + this.#weightOf(heard, exchange, { nowMs, isRepeated }));
    exchange.heardMs = nowMs;
    exchange.digest = digest;
    return exchange.score < STOP_SCORE ? { kind: 'open', pauseMs: pauseOf(exchange) } : stop(exchange, nowMs);
  }

  #exchangeOf({ agentId, lane, senderId }: Heard, nowMs: number): Exchange {
    const key = `${agentId} ${lane} ${senderId ?? ''}`;
    const known = this.#exchanges.get(key);
    if (known && nowMs - known.heardMs < REST_MS) return known;
    const begun = { score: 0, heardMs: Number.POSITIVE_INFINITY, digest: '', stoppedUntilMs: 0 };
    this.#exchanges.set(key, begun);
    return begun;
  }

  /** A message that is no answer says nothing: people often write several in a row, and photos come at once. */
  #weightOf(
    { agentId, lane, senderId, text }: Heard,
    exchange: Exchange,
    { nowMs, isRepeated }: { readonly nowMs: number; readonly isRepeated: boolean },
  ): number {
    const oursMs = this.#answered.get(`${agentId} ${lane}`);
    if (oursMs === undefined || oursMs <= exchange.heardMs) return 0;
    return weightOf({
      text,
      afterOursMs: nowMs - oursMs,
      afterOwnMs: nowMs - exchange.heardMs,
      isRepeated,
      isInGroup: senderId !== null,
      isSlowed: exchange.score >= SLOW_SCORE,
    });
  }
}

function pauseOf({ score }: Exchange): number {
  if (score < SLOW_SCORE) return 0;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.floor(score - SLOW_SCORE));
}

/** Afterwards it goes on slowly. */
function stop(exchange: Exchange, nowMs: number): Verdict {
  exchange.score = SLOW_SCORE;
  exchange.stoppedUntilMs = nowMs + STOP_MS;
  return { kind: 'stopped', isFirst: true };
}
