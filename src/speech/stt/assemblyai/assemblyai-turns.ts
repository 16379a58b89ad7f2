import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { AudioBacklog } from '../audio-backlog.ts';
import type { Recognized, RecognizerObserver } from '../recognizer.ts';
import { TurnState } from '../turn-state.ts';
import { type AssemblyAiTurn, withWords } from './assemblyai-turn.ts';

/** The formatted text of a turn comes after its end, normally within 0.3 s. */
const FORMAT_MS = 1_000;
const NONE = -1;

/** Makes results of turns. A turn is settled with its end, although its text may be formatted later. */
export class AssemblyAiTurns {
  readonly #isFormatted: boolean;
  readonly #clock: Clock;
  readonly #backlog: AudioBacklog;
  readonly #observer: RecognizerObserver;
  readonly #state: TurnState;
  /** The turn that is being spoken. */
  #open: AssemblyAiTurn | null = null;
  /** What was being said when the connection was lost. */
  #lost: AssemblyAiTurn | null = null;
  /** A turn that has ended and waits for its formatted text. */
  #raw: AssemblyAiTurn | null = null;
  #cancelTimer: CancelTimer = () => {};
  /** The last turn that was reported. */
  #lastOrder = NONE;

  /** `isFormatted`: whether the text of each turn comes a second time, formatted. */
  constructor(isFormatted: boolean, clock: Clock, backlog: AudioBacklog, observer: RecognizerObserver) {
    this.#isFormatted = isFormatted;
    this.#clock = clock;
    this.#backlog = backlog;
    this.#observer = observer;
    this.#state = new TurnState(observer);
  }

  take(turn: AssemblyAiTurn): void {
    if (turn.order <= this.#lastOrder) return;
    if (turn.isEnd) this.#end(turn);
    else if (turn.order !== this.#raw?.order) this.#go(turn);
  }

  /** Whether somebody speaks, where the vendor says so before the first word. */
  changeTurn(state: 'started' | 'ended'): void {
    this.#state.change(state);
  }

  /** No more turns of this session follow. */
  close(): void {
    this.#reportRaw();
    const open = this.#open ?? this.#lost;
    this.#lost = null;
    if (open) this.#report(open, allOf(open));
    this.#state.change('ended');
  }

  /** The connection is lost. Whether the open turn is recognized again is not known, so it is over. */
  lose(): void {
    this.#state.change('ended');
    this.#reportRaw();
    this.#lost = this.#open ?? this.#lost;
    this.#open = null;
  }

  /**
   * A connection takes audio from now on, and numbers turns anew. What was being said is heard again, except for the
   * words whose audio is no longer there. Call it before the audio is sent again.
   */
  begin(): void {
    const lost = this.#lost;
    this.#lost = null;
    const gone = lost?.words.filter(({ startMs }) => startMs < this.#backlog.oldestMs) ?? [];
    const end = gone.at(-1);
    if (lost && end) {
      this.#backlog.settle(end.endMs);
      this.#report(lost, withWords(lost, gone));
    }
    this.#lastOrder = NONE;
  }

  #go(turn: AssemblyAiTurn): void {
    if (turn.words.length === 0) return;
    this.#open = turn;
    this.#state.change('started');
    this.#observer.interim(allOf(turn));
  }

  #end(turn: AssemblyAiTurn): void {
    if (this.#raw && turn.order > this.#raw.order) this.#reportRaw();
    this.#open = null;
    // A turn without words, as after a request to end it, covers nothing.
    if (turn.settled.endMs !== null) this.#backlog.settle(turn.settled.endMs);
    this.#state.change('ended');
    if (turn.isFormatted || !this.#isFormatted) return this.#report(turn, turn.settled);
    this.#raw = turn;
    this.#cancelTimer = this.#clock.after(FORMAT_MS, () => this.#reportRaw());
  }

  #reportRaw(): void {
    if (this.#raw) this.#report(this.#raw, this.#raw.settled);
  }

  #report({ order }: AssemblyAiTurn, result: Recognized): void {
    this.#cancelTimer();
    this.#raw = null;
    this.#open = null;
    this.#lastOrder = order;
    if (result.text !== '') this.#observer.final(result);
  }
}

/** Before the end of a turn, not all of its words are settled. */
function allOf(turn: AssemblyAiTurn): Recognized {
  return withWords(turn, turn.words);
}
