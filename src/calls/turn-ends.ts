import type { CancelTimer, Clock } from '../base/time.ts';
import { type TextState, type TurnReason, textState } from './turn-text.ts';

/** How much longer an unfinished sentence waits than the silence in which its words came. */
const UNFINISHED_MS = 1_200;
/** Somebody who speaks on ends their turn later, but for no longer than this. */
const MOST_MS = 10_000;
/** Speakers with an open turn. Of more, nobody waits. */
const MAX_OPEN = 32;

/** 0 to 1. */
const CONFIDENCE = { vendor: 0.9, question: 0.9, number: 0.85, sentence: 0.8, open: 0.6, unfinished: 0.4 };

/** Asks a model, for an account, whether somebody has said all. Null: it does not know, or not in time. */
export type AskTurnModel = (accountId: string, text: string) => Promise<number | null>;

export interface TurnEndsDeps {
  readonly clock: Pick<Clock, 'after'>;
  /** Null: none is configured. */
  readonly ask: ((text: string) => ReturnType<AskTurnModel>) | null;
  readonly ended: (speaker: string, reason: TurnReason, confidence: number) => void;
}

interface OpenTurn {
  text: string;
  cancelTimer: CancelTimer;
  /** Bounds all waits. */
  readonly cancelLimit: CancelTimer;
}

/**
 * When somebody has said all that they want to say. Silence has passed when their words come; what vendors tell of turns
 * and the words themselves decide whether to wait for more.
 */
export class TurnEnds {
  readonly #deps: TurnEndsDeps;
  /** What was said of turns that are not over, by speaker. */
  readonly #open = new Map<string, OpenTurn>();
  /** Those whose vendor has said that their turn is over, before their last words came. */
  readonly #overByVendor = new Set<string>();

  constructor(deps: TurnEndsDeps) {
    this.#deps = deps;
  }

  /** Whether somebody has said something, and may go on. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Somebody has started or stopped speaking, as heard or (`isVendor`) as their recognizer says. */
  spoke(speaker: string, state: 'started' | 'ended', isVendor: boolean): void {
    const turn = this.#open.get(speaker);
    if (state === 'started') {
      turn?.cancelTimer();
      this.#overByVendor.delete(speaker);
    } else if (isVendor && turn) this.#end(speaker, 'vendor', CONFIDENCE.vendor);
    else if (isVendor && this.#overByVendor.size < MAX_OPEN) this.#overByVendor.add(speaker);
    else if (turn) this.#wait(speaker, turn);
  }

  /** Words that will not change. */
  understood(speaker: string, text: string): void {
    const isOver = this.#overByVendor.delete(speaker);
    const before = this.#open.get(speaker);
    const said = before === undefined ? text : `${before.text} ${text}`;
    const state = textState(said);
    if (isOver) return this.#end(speaker, 'vendor', CONFIDENCE.vendor);
    if (state !== 'unfinished' && (state !== 'open' || this.#deps.ask === null))
      return this.#end(speaker, state === 'open' ? 'silence' : state, CONFIDENCE[state]);
    this.#keep(speaker, said.slice(-1_000), state);
  }

  close(): void {
    for (const speaker of [...this.#open.keys()]) this.#forget(speaker);
  }

  #keep(speaker: string, text: string, state: TextState): void {
    const known = this.#open.get(speaker);
    if (known === undefined && this.#open.size >= MAX_OPEN)
      return this.#end(speaker, 'silence', CONFIDENCE[state]);
    const cancelLimit =
      known?.cancelLimit ??
      this.#deps.clock.after(MOST_MS, () => this.#end(speaker, 'silence', CONFIDENCE.unfinished));
    known?.cancelTimer();
    const turn = { text, cancelTimer: () => {}, cancelLimit };
    this.#open.set(speaker, turn);
    this.#wait(speaker, turn);
    void this.#askModel(speaker, turn);
  }

  #wait(speaker: string, turn: OpenTurn): void {
    turn.cancelTimer();
    turn.cancelTimer = this.#deps.clock.after(UNFINISHED_MS, () =>
      this.#end(speaker, 'silence', CONFIDENCE.unfinished),
    );
  }

  async #askModel(speaker: string, turn: OpenTurn): Promise<void> {
    const share = (await this.#deps.ask?.(turn.text)) ?? null;
    if (share !== null && share >= 0.5 && this.#open.get(speaker) === turn)
      this.#end(speaker, 'model', share);
  }

  #end(speaker: string, reason: TurnReason, confidence: number): void {
    this.#forget(speaker);
    this.#deps.ended(speaker, reason, confidence);
  }

  #forget(speaker: string): void {
    const turn = this.#open.get(speaker);
    turn?.cancelTimer();
    turn?.cancelLimit();
    this.#open.delete(speaker);
  }
}
