import { randomInt } from 'node:crypto';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { IncomingRequestMessage } from '../core/sip-core.ts';

/** RFC 4028 section 5: no session may be shorter. Peers that ask for less get what they ask for. */
const LEAST_MS = 30_000;
/** Section 10: how long before its end a session that nobody has refreshed is given up. */
const MARGIN_MS = 32_000;
/** The first try after a refusal, and the last before the end. */
const RETRY_MS = 5_000;
const LAST_TRY_MS = 3_000;

/** What a Session-Expires header says (section 4). */
export interface SessionInterval {
  readonly seconds: number;
  /** Who refreshes, as seen from the request that the header belongs to. Null when it leaves that open. */
  readonly refresher: 'uac' | 'uas' | null;
}

/** Returns null when there is no header or it is not readable. */
export function readSessionExpires(text: string | undefined): SessionInterval | null {
  const [seconds = '', ...parameters] = (text ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (!/^\d{1,8}$/.test(seconds) || Number(seconds) === 0) return null;
  const refresher = parameters
    .map((each) => /^refresher\s*=\s*"?(uac|uas)"?$/.exec(each)?.[1])
    .find((each) => each);
  return { seconds: Number(seconds), refresher: (refresher as 'uac' | 'uas' | undefined) ?? null };
}

/** How we answer a request of the peer: the headers of our 200, and who refreshes. */
export interface AnsweredSession {
  readonly interval: SessionInterval | null;
  readonly weRefresh: boolean;
  readonly headers: readonly string[];
}

/**
 * Answers the interval of an INVITE (section 9). A peer that knows session timers refreshes unless it asks us to. For any
 * other, a proxy on the way has asked, and we refresh.
 */
export function answeredSession(request: IncomingRequestMessage): AnsweredSession {
  const asked = readSessionExpires(request.getHeader('session-expires'));
  if (asked === null) return { interval: null, weRefresh: false, headers: [] };
  const { seconds } = asked;
  const knowsTimers = request.getHeaders('supported').some((value) => /\btimer\b/i.test(value));
  const weRefresh = !knowsTimers || asked.refresher === 'uas';
  const header = `Session-Expires: ${seconds};refresher=${weRefresh ? 'uas' : 'uac'}`;
  return { interval: asked, weRefresh, headers: weRefresh ? [header] : [header, 'Require: timer'] };
}

interface SessionTimerDeps {
  readonly clock: Clock;
  /** Sends a refresh. Its outcome is reported by `agreed` or `refused`. */
  refresh(interval: SessionInterval): void;
  /** Nobody has refreshed the session in time. */
  expired(): void;
}

/** A refusal of a refresh. */
export interface Refusal {
  readonly status: number;
  /** What the answer asks for; null: nothing. */
  readonly retryAfterMs: number | null;
  /** Min-SE of a 422, in seconds; null: none. */
  readonly minSeconds: number | null;
  /** We have made up the Call-ID (RFC 3261 section 14.1). */
  readonly ownsCallId: boolean;
}

/** Keeps a session from expiring (RFC 4028), or ends it when the peer no longer does. */
export class SessionTimer {
  readonly #deps: SessionTimerDeps;
  #interval: SessionInterval | null = null;
  #isOurs = false;
  #expiresAtMs = 0;
  #cancel: CancelTimer = () => {};

  constructor(deps: SessionTimerDeps) {
    this.#deps = deps;
  }

  /** Takes the interval of a request that was accepted. `isOurs`: we are to refresh. */
  agreed(interval: SessionInterval, isOurs: boolean): void {
    const lifetimeMs = Math.max(interval.seconds * 1000, LEAST_MS);
    this.#interval = interval;
    this.#isOurs = isOurs;
    this.#expiresAtMs = this.#deps.clock.monotonicMs() + lifetimeMs;
    if (isOurs) this.#after(lifetimeMs / 2, () => this.#refresh());
    else this.#after(lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 3), () => this.#deps.expired());
  }

  /** A request was accepted that says nothing about the interval: the session lives on as long as before. */
  renewed(): void {
    if (this.#interval !== null) this.agreed(this.#interval, this.#isOurs);
  }

  /** Tries again by the rule of the status, within what is left of the session. A peer that goes on refusing decides itself. */
  refused({ status, retryAfterMs, minSeconds, ownsCallId }: Refusal): void {
    const interval = this.#interval;
    if (interval === null) return;
    if (status === 422 && minSeconds !== null && minSeconds > interval.seconds) {
      this.#interval = { ...interval, seconds: minSeconds };
      return this.#refresh();
    }
    const wantedMs = retryAfterMs ?? (status === 491 ? glareMs(ownsCallId) : RETRY_MS);
    const leftMs = this.#expiresAtMs - this.#deps.clock.monotonicMs();
    // Past the end, the next try comes in the next interval.
    if (leftMs <= LAST_TRY_MS) this.agreed(interval, true);
    else this.#after(Math.min(wantedMs, leftMs - LAST_TRY_MS), () => this.#refresh());
  }

  stop(): void {
    this.#cancel();
    this.#interval = null;
  }

  /** A peer that never says whether it takes the refresh, as after a 100, is gone. */
  #refresh(): void {
    if (this.#interval === null) return;
    const leftMs = this.#expiresAtMs - this.#deps.clock.monotonicMs();
    this.#after(Math.max(leftMs, MARGIN_MS), () => this.#deps.expired());
    this.#deps.refresh(this.#interval);
  }

  #after(delayMs: number, action: () => void): void {
    this.#cancel();
    this.#cancel = this.#deps.clock.after(Math.max(delayMs, 0), action);
  }
}

/** RFC 3261 section 14.1, in units of 10 ms: whoever has made up the Call-ID waits longer. */
function glareMs(ownsCallId: boolean): number {
  return ownsCallId ? randomInt(210, 401) * 10 : randomInt(0, 201) * 10;
}
