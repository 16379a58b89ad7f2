import { FairShare, type ReleasePlace } from '../../base/fair-share.ts';
import { RequestPace, type Turn } from '../../base/request-pace.ts';
import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { LivePace } from '../../connectors/contract/live-message.ts';

/** A whole message that has waited so long is sent in any case. */
const LONGEST_MS = 10_000;
/** By then a whole message that may be sent has been. */
const SENT_MS = 200;
/** The share of all requests that updates leave free, so that a first text need not wait for one to be over. */
const KEPT = 0.25;
/** An update waits until it is written over. */
const NO_LIMIT_MS = 3_600_000;

/** Whose request it is. */
export interface LiveRequest {
  readonly accountId: string;
  /** Whether people see the beginning of the message already. */
  readonly isUpdate: boolean;
}

/**
 * Shares what a login may ask its platform between the messages that are being written: by account, and updates leave room
 * for first texts and whole messages, which never wait behind them.
 */
export class LiveLine {
  readonly #clock: Clock;
  readonly #pace: LivePace;
  readonly #all: RequestPace;
  readonly #updates: RequestPace;
  /** One of each message that is shown is kept for when it is whole. */
  readonly #edits: FairShare;
  #pausedUntilMs = 0;

  constructor(clock: Clock, pace: LivePace) {
    const { updates, withinMs, mostEdits = Number.POSITIVE_INFINITY } = pace;
    this.#clock = clock;
    this.#pace = pace;
    this.#all = new RequestPace(clock, pace, Math.floor(pace.most * KEPT));
    this.#updates = new RequestPace(clock, { most: updates, withinMs });
    this.#edits = new FairShare({ clock, total: mostEdits, each: mostEdits, mostWaiting: 0 });
  }

  /** Aborts when the gateway closes. */
  get closing(): AbortSignal {
    return this.#all.closing;
  }

  /**
   * Takes a place for a message that is to be shown, null: there is none now. Give it back when the message is whole, or will
   * not be: if it was shown, its last request counts from then on.
   */
  place(accountId: string): ((wasShown: boolean) => void) | null {
    const release = this.#edits.takeNow(accountId);
    return release && ((wasShown) => this.#leave(release, wasShown));
  }

  /** As `place`, for what an earlier process has begun. */
  hold(accountId: string): (wasShown: boolean) => void {
    const release = this.#edits.hold(accountId);
    return (wasShown) => this.#leave(release, wasShown);
  }

  /**
   * Makes a request in its turn, unless `signal` aborts before. `ask` returns for how long the login takes no further one, in
   * milliseconds; null: it has made none. It never rejects.
   */
  async ask(request: LiveRequest, signal: AbortSignal, ask: () => Promise<number | null>): Promise<void> {
    const turns = [...(await this.#edit(request, signal)), ...(await this.#turns(request, signal))];
    await this.#rest(signal);
    const pauseMs = signal.aborted ? null : await ask();
    if (pauseMs !== null)
      this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + pauseMs);
    for (const turn of turns) {
      if (pauseMs === null) turn.unused();
      else turn.answered();
    }
  }

  /** Resolves when the login may send a whole message of an account, or after `LONGEST_MS`. */
  async whole(accountId: string): Promise<void> {
    await withDeadline(this.#clock, LONGEST_MS, this.closing, async (signal) => {
      const turn = await this.#all.turn(accountId, LONGEST_MS, signal);
      await this.#rest(signal);
      if (turn) this.#clock.after(SENT_MS, turn.answered);
    });
  }

  close(): void {
    this.#all.close();
    this.#updates.close();
  }

  /** Resolves when the platform wants no pause any more. */
  async #rest(signal: AbortSignal): Promise<void> {
    for (let ms = this.#pauseMs; ms > 0 && !signal.aborted; ms = this.#pauseMs)
      await pause(this.#clock, ms, signal);
  }

  get #pauseMs(): number {
    return Math.ceil(this.#pausedUntilMs - this.#clock.monotonicMs());
  }

  /** Where edits are few, updates leave as many as they may take at most to messages that are not shown yet. */
  async #edit({ accountId, isUpdate }: LiveRequest, signal: AbortSignal): Promise<readonly Turn[]> {
    const { mostEdits, updates, everyMs, withinMs } = this.#pace;
    if (mostEdits === undefined || !isUpdate) return [];
    while (this.#edits.taken + updates >= mostEdits && !signal.aborted)
      await pause(this.#clock, everyMs, signal);
    if (signal.aborted) return [];
    const unused = this.#edits.hold(accountId);
    return [{ unused, answered: () => void this.#clock.after(withinMs, unused) }];
  }

  async #turns({ accountId, isUpdate }: LiveRequest, signal: AbortSignal): Promise<readonly Turn[]> {
    const paces = isUpdate ? [this.#updates, this.#all] : [this.#all];
    const turns: Turn[] = [];
    for (const pace of paces) {
      const turn = await pace.turn(accountId, NO_LIMIT_MS, signal, isUpdate);
      if (turn) turns.push(turn);
    }
    return turns;
  }

  #leave(release: ReleasePlace, wasShown: boolean): void {
    if (wasShown) this.#clock.after(this.#pace.withinMs + LONGEST_MS, release);
    else release();
  }
}
