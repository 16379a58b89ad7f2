import { CANCELLED, HUNG_UP, type Termination } from '../../base/termination.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';
import type { LegObserver, PlatformLeg, SendsChat, ShowsCallTyping } from '../contract/call-leg.ts';

/** What a platform does for a call in one of its meetings. It reports to the call's MeetingLeg what comes of it. */
export interface Meeting {
  readonly chat?: SendsChat;
  readonly typing?: ShowsCallTyping;
  /**
   * Finds out what has to be known, and opens the media leg, before the first entry. It may end the leg. A rejection ends it as
   * `failed`. `signal` aborts when the leg is over.
   */
  prepare(signal: AbortSignal): Promise<void>;
  /** Asks to be let in. `isAgain`: what is left of the last time is left first. A rejection is the platform's last word. */
  enter(isAgain: boolean): Promise<void>;
  /** Ends the connection to the meeting's media, if there is one. */
  disconnect(): void;
  /** Leaves the meeting and releases everything: once, at the end. Never rejects. */
  leave(): Promise<void>;
  /** Says more about an end. */
  explain?(termination: Termination): Termination;
}

/** How long a platform takes for what, and how often it may be asked. Times are in milliseconds. */
export interface MeetingRules {
  /** From the start to the first connection. A lobby takes as long as it takes. */
  readonly joinMs: number;
  /** For an answer to `enter`. Then the meeting is entered again. */
  readonly answerMs: number;
  /** From a loss to the end of the call. */
  readonly outageMs: number;
  /** The same, if it was a thread of ours that was lost. */
  readonly threadOutageMs: number;
  /** Pauses before entering again, one after the other. */
  readonly pausesMs: readonly [number, ...number[]];
  /** Entries that the leg makes by itself within `entriesWithinMs`. */
  readonly maxEntries: number;
  readonly entriesWithinMs: number;
  /** Reason of a call that was never answered. */
  readonly noAnswer: string;
}

export interface MeetingLegDeps {
  readonly clock: Clock;
  readonly observer: LegObserver;
  readonly rules: MeetingRules;
}

type LegState = 'preparing' | 'entering' | 'connecting' | 'connected' | 'expecting' | 'over';

/**
 * A call in a meeting: joined with a deadline, entered again after losses as often as the platform allows, left once. The
 * meeting's own events, as people, voices and chat, go past it to the observer.
 */
export class MeetingLeg implements PlatformLeg {
  readonly released: Promise<void>;
  readonly chat?: SendsChat;
  readonly typing?: ShowsCallTyping;
  readonly #deps: MeetingLegDeps;
  readonly #meeting: Meeting;
  readonly #over = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  readonly #preparing: Promise<void>;
  #state: LegState = 'preparing';
  #hasConnected = false;
  /** Why it is not connected. */
  #reason: string;
  /** Null while connected, and before the first connection. */
  #outageUntilMs: number | null = null;
  #entriesMs: number[] = [];
  #pauses = 0;
  #cancelTimer: CancelTimer = () => undefined;
  #cancelDeadline: CancelTimer;

  /** `meetingOf`: makes the platform's half, which reports to this leg. */
  constructor(deps: MeetingLegDeps, meetingOf: (leg: MeetingLeg) => Meeting) {
    const { clock, rules } = deps;
    this.#deps = deps;
    this.#reason = rules.noAnswer;
    this.#meeting = meetingOf(this);
    const { chat, typing } = this.#meeting;
    if (chat) this.chat = chat;
    if (typing) this.typing = typing;
    this.#cancelDeadline = clock.after(rules.joinMs, () => this.lose(this.#reason));
    this.#preparing = this.#meeting.prepare(this.#ending.signal);
    this.#preparing.then(
      () => this.#enter(false),
      ({ message: reason }: Error) => this.end('remote', { result: 'failed', reason }),
    );
    this.released = this.#over.promise.then(() => this.#release());
  }

  /** Nothing to do: meetings are not called. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    this.end('local', this.#hasConnected ? HUNG_UP : CANCELLED);
  }

  /** Whether the call has been in the meeting, and is not over. It may be on its way back. */
  get isActive(): boolean {
    return this.#hasConnected && this.#state !== 'over';
  }

  get isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Whether the platform has announced something, before which no loss counts. */
  get isExpecting(): boolean {
    return this.#state === 'expecting';
  }

  /** Somebody must admit the agent. `reason` says so to people. */
  waiting(reason: string): void {
    if (!this.#become('entering')) return;
    const { clock, observer } = this.#deps;
    this.#reason = reason;
    this.#cancelDeadline();
    if (this.#outageUntilMs === null) return observer.waiting(reason);
    this.#after(this.#outageUntilMs - clock.monotonicMs(), () => this.lose(reason));
  }

  /** The platform has let the agent in. `connect` opens its media. `reason`: why there are none, if they do not come. */
  connecting(reason: string, connect: () => Promise<void>): void {
    if (!this.#become('connecting')) return;
    this.#reason = reason;
    connect().catch(({ message }: Error) => this.threadLost(message));
  }

  /** Audio can flow, for the first time or again. */
  connected(): void {
    if (this.#state !== 'connecting') return;
    this.#become('connected');
    this.#cancelDeadline();
    this.#outageUntilMs = null;
    this.#pauses = 0;
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    this.#deps.observer.answered();
  }

  /** The platform is about to say more, or to move the call. Afterwards the meeting is entered again, for `reason`. */
  expect(withinMs: number, reason: string): void {
    if (this.#become('expecting')) this.#after(withinMs, () => this.lost(reason));
  }

  /** The thread of the media is lost, or there was none: enters again. */
  threadLost(reason: string): void {
    this.lost(reason, this.#deps.rules.threadOutageMs);
  }

  /** The connection is lost: enters again. `outageMs`: how long that may take, if it is the first loss in a row. */
  lost(reason: string, outageMs = this.#deps.rules.outageMs): void {
    if (this.#state === 'over') return;
    const { clock, rules } = this.#deps;
    const nowMs = clock.monotonicMs();
    this.#reason = reason;
    this.#outageUntilMs ??= nowMs + outageMs;
    this.#entriesMs = this.#entriesMs.filter((atMs) => nowMs - atMs < rules.entriesWithinMs);
    if (this.#entriesMs.length >= rules.maxEntries || nowMs >= this.#outageUntilMs) return this.lose(reason);
    this.#become('entering');
    this.#meeting.disconnect();
    const pauseMs = rules.pausesMs[this.#pauses] ?? rules.pausesMs.at(-1)!;
    this.#pauses++;
    this.#after(pauseMs, () => this.#enter(true));
  }

  /** Entering again is no use. */
  lose(reason: string): void {
    if (this.#hasConnected) return this.end('lost', { result: 'disconnected', reason });
    this.end('remote', { result: reason === this.#deps.rules.noAnswer ? 'no_answer' : 'failed', reason });
  }

  /** Somebody has removed the agent, did not let it in, or the meeting is over. */
  removed(reason: string): void {
    this.end('remote', { result: this.#hasConnected ? 'completed' : 'refused', reason });
  }

  /** Somebody has taken the agent out of a meeting that goes on, where it may be let in again. */
  thrownOut(reason: string): void {
    if (this.#hasConnected) this.lose(reason);
    else this.removed(reason);
  }

  /** Ends the call. Nothing is reported any more. Safe to call twice. */
  end(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (!this.#become('over')) return;
    this.#cancelDeadline();
    this.#ending.abort();
    this.#deps.observer.ended(by, this.#meeting.explain?.(termination) ?? termination);
    this.#over.resolve();
  }

  #enter(isAgain: boolean): void {
    if (!this.#become('entering')) return;
    const { clock, rules } = this.#deps;
    this.#entriesMs.push(clock.monotonicMs());
    this.#after(rules.answerMs, () => this.lost(this.#reason));
    this.#meeting.enter(isAgain).catch(({ message }: Error) => this.lose(message));
  }

  /** Returns false when the leg is over. */
  #become(state: LegState): boolean {
    if (this.#state === 'over') return false;
    this.#cancelTimer();
    this.#state = state;
    return true;
  }

  #after(delayMs: number, action: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(delayMs, action);
  }

  async #release(): Promise<void> {
    await this.#preparing.catch(() => undefined);
    await this.#meeting.leave();
  }
}
