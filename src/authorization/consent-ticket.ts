import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../base/ids.ts';
import type { Clock } from '../base/time.ts';

/** Lifetime of a ticket. A page left open for longer asks again. */
const LIFE_MS = 3_600_000;

/**
 * Ties the answer on a consent page to the session and the request that the page was made for. No other page can
 * approve a request in the person's name, nor can the answer approve another client. Tickets of an earlier process are
 * invalid.
 */
export class ConsentTickets {
  readonly #key = randomBytes(32);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(sessionId: string, request: string): string {
    const atMs = Math.floor(this.#clock.monotonicMs());
    return `${atMs}.${this.#mark(atMs, sessionId, request)}`;
  }

  isGood(ticket: string, sessionId: string, request: string): boolean {
    const [at = '', mark = ''] = ticket.split('.');
    const atMs = Number(at);
    const isYoung = this.#clock.monotonicMs() - atMs < LIFE_MS;
    return isYoung && isSameSecret(mark, this.#mark(atMs, sessionId, request));
  }

  #mark(atMs: number, sessionId: string, request: string): string {
    const text = JSON.stringify([atMs, sessionId, request]);
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
