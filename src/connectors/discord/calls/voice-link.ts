import { unreachable } from '../../../base/assert.ts';
import type { Termination } from '../../../base/termination.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { VoiceAccess } from '../voice/voice-protocol.ts';
import { afterClose, closeReason } from './close-codes.ts';

/** After Discord was asked to let the bot in; then it is asked again. */
const ANSWER_MS = 2_500;
/** For the gateway to say what a voice server's end means, or where the new server is. */
const NEWS_MS = 3_000;
/** A voice server that is gone is replaced in its own time. */
const NEW_SERVER_MS = 15_000;
/** From a loss to the end of the call. Voice servers take longer to be replaced than our threads. */
const OUTAGE_MS = 10_000;
const THREAD_OUTAGE_MS = 5_000;
/** Pauses before the bot enters again, one after the other. */
const PAUSES_MS = [0, 500, 1_000, 2_000];
/** Entries that the gateway makes by itself. Discord would make the bot wait for more, and people hear each of them. */
const MAX_ENTRIES = 5;
const ENTRIES_WITHIN_MS = 60_000;

/** Reason of a call whose bot Discord does not let in. */
export const NO_ANSWER = 'Discord did not let the bot into the channel';

export interface VoiceLinkDeps {
  readonly clock: Clock;
  /** Asks Discord to let the bot into the channel. `afresh`: leaves it first. */
  enter(channelId: string, afresh: boolean): void;
  /** Opens a session with a voice server in the place of the former one. */
  connect(access: VoiceAccess): Promise<void>;
  disconnect(): void;
  /** Audio can flow, for the first time or again. */
  onConnected(): void;
  /** Nothing follows. */
  onEnded(by: 'remote' | 'lost', termination: Termination): void;
}

type LinkState = 'entering' | 'connecting' | 'connected' | 'waiting' | 'over';

/**
 * Keeps the bot connected to a voice channel. It follows to other channels and voice servers, and enters again after
 * losses, at most five times a minute.
 */
export class VoiceLink {
  readonly #deps: VoiceLinkDeps;
  #channelId: string;
  #state: LinkState = 'entering';
  #hasConnected = false;
  /** Why it is not connected. */
  #reason = NO_ANSWER;
  /** Null while connected, and before the first connection. */
  #outageUntilMs: number | null = null;
  #entriesMs: number[] = [];
  #pauses = 0;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(channelId: string, deps: VoiceLinkDeps) {
    this.#channelId = channelId;
    this.#deps = deps;
  }

  /** The bot's channel: where it was sent, or somebody has moved it. */
  get channelId(): string {
    return this.#channelId;
  }

  begin(): void {
    this.#enter(false);
  }

  /** Ends it without a report. Safe to call twice. */
  stop(): void {
    this.#state = 'over';
    this.#cancelTimer();
  }

  /** It has taken too long to connect for the first time. */
  giveUp(): void {
    this.#lose(this.#reason);
  }

  /** There is a voice server. */
  placed(access: VoiceAccess): void {
    if (this.#state === 'over') return;
    this.#become('connecting');
    this.#reason = 'the voice server did not answer';
    this.#deps.connect(access).catch(({ message }: Error) => this.lost(message));
  }

  unplaced(): void {
    if (this.#state === 'over') return;
    this.#deps.disconnect();
    this.#wait(NEW_SERVER_MS, 'the voice server is gone, and no other one came');
  }

  moved(channelId: string): void {
    if (this.#state === 'over') return;
    this.#channelId = channelId;
    this.#wait(NEWS_MS, 'no voice server for the other channel');
  }

  /** Somebody has removed the bot. */
  removed(reason: string): void {
    this.#end('remote', { result: this.#hasConnected ? 'completed' : 'refused', reason });
  }

  /** Audio can flow. */
  opened(): void {
    if (this.#state !== 'connecting') return;
    this.#become('connected');
    this.#hasConnected = true;
    this.#outageUntilMs = null;
    this.#pauses = 0;
    this.#deps.onConnected();
  }

  /** The voice server has closed the session, or could not be reached. */
  closed(code: number | null, words: string): void {
    if (this.#state === 'over' || this.#state === 'waiting') return;
    const reason = closeReason(code, words);
    const next = afterClose(code);
    switch (next) {
      case 'end':
        return this.#lose(reason);
      case 'over':
        return this.removed(reason);
      case 'wait':
        return this.#wait(NEWS_MS, reason);
      case 'rejoin':
        return this.#enterAgain(reason);
      default:
        return unreachable(next);
    }
  }

  /** The thread of the session is gone. */
  lost(reason: string): void {
    if (this.#state !== 'over') this.#enterAgain(reason, THREAD_OUTAGE_MS);
  }

  /** Waits for the gateway. Afterwards the bot enters again. */
  #wait(forMs: number, reason: string): void {
    this.#become('waiting');
    this.#after(forMs, () => this.#enterAgain(reason));
  }

  #enterAgain(reason: string, outageMs = OUTAGE_MS): void {
    this.#reason = reason;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#outageUntilMs ??= nowMs + outageMs;
    this.#entriesMs = this.#entriesMs.filter((atMs) => nowMs - atMs < ENTRIES_WITHIN_MS);
    const isTooMany = this.#entriesMs.length >= MAX_ENTRIES;
    const isTooLate = nowMs >= this.#outageUntilMs;
    if (isTooMany || isTooLate) return this.#lose(reason);
    this.#become('entering');
    this.#deps.disconnect();
    const pauseMs = PAUSES_MS[this.#pauses] ?? PAUSES_MS.at(-1)!;
    this.#pauses++;
    this.#after(pauseMs, () => this.#enter(true));
  }

  #enter(afresh: boolean): void {
    this.#entriesMs.push(this.#deps.clock.monotonicMs());
    this.#deps.enter(this.#channelId, afresh);
    this.#after(ANSWER_MS, () => this.#enterAgain(this.#reason));
  }

  #become(state: LinkState): void {
    this.#cancelTimer();
    this.#state = state;
  }

  #after(delayMs: number, action: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(delayMs, action);
  }

  #lose(reason: string): void {
    if (this.#hasConnected) this.#end('lost', { result: 'disconnected', reason });
    else this.#end('remote', { result: reason === NO_ANSWER ? 'no_answer' : 'failed', reason });
  }

  #end(by: 'remote' | 'lost', termination: Termination): void {
    if (this.#state === 'over') return;
    this.stop();
    this.#deps.onEnded(by, termination);
  }
}
