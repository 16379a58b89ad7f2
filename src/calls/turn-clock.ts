import type { TurnMetrics } from '../base/speech.ts';
import type { CancelTimer, Clock } from '../base/time.ts';
import type { MeasuredTurn } from '../threads/protocol.ts';

/** Stages noted and not used yet. More belong to no turn of today. */
const MAX_NOTED = 32;

/** A bridge thread tells within this time that an utterance is played. */
const STAGES_MS = 1_000;

/** What the gateway says: when it was told to, when its first audio came, by `wallMs`. */
interface Utterance {
  readonly utteranceId: string;
  readonly saidMs: number;
  audioMs: number | null;
}

/**
 * Splits the wait of the far end for an answer: notes when each stage of hosted speech was over, and finds those of a turn
 * once its answer is heard. All times are of `wallMs`. The parts add up to the whole.
 */
export class TurnClock {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #publish: (metrics: TurnMetrics) => void;
  readonly #pauses: number[] = [];
  readonly #transcripts: number[] = [];
  readonly #utterances: Utterance[] = [];
  /** Its answer is heard, and it is yet to be told which utterance that is. */
  #measured: MeasuredTurn | null = null;
  #cancelTimer: CancelTimer = () => {};

  constructor(clock: Pick<Clock, 'after'>, publish: (metrics: TurnMetrics) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  /** The end of what somebody says has been noticed. */
  paused(atMs: number): void {
    note(this.#pauses, atMs);
  }

  /** What somebody said has been understood. */
  understood(atMs: number): void {
    note(this.#transcripts, atMs);
  }

  said(utteranceId: string, saidMs: number): void {
    note(this.#utterances, { utteranceId, saidMs, audioMs: null });
  }

  /** An utterance is played, whose first audio came at this time. */
  played(utteranceId: string, audioMs: number | null): void {
    const utterance = this.#utterances.find((each) => each.utteranceId === utteranceId);
    if (utterance) utterance.audioMs = audioMs;
    this.#settle();
  }

  /** The far end has been answered. A bridge thread may still have to tell by what. */
  measured(turn: MeasuredTurn): void {
    this.#settle();
    this.#measured = turn;
    const mayBeHosted = this.#utterances.some(({ saidMs }) => saidMs >= turn.endMs);
    if (mayBeHosted && this.#answerOf(turn) === undefined)
      this.#cancelTimer = this.#clock.after(STAGES_MS, () => this.#settle());
    else this.#settle();
  }

  #settle(): void {
    const turn = this.#measured;
    if (turn === null) return;
    this.#cancelTimer();
    this.#measured = null;
    this.#publish(this.#split(turn));
  }

  #answerOf({ endMs, soundMs }: MeasuredTurn): Utterance | undefined {
    return this.#utterances.findLast(
      ({ saidMs, audioMs }) => audioMs !== null && audioMs <= soundMs && saidMs >= endMs,
    );
  }

  #split(turn: MeasuredTurn): TurnMetrics {
    const { endMs, soundMs } = turn;
    const answer = this.#answerOf(turn);
    const until = answer?.saidMs ?? soundMs;
    const understoodMs = this.#transcripts.findLast((atMs) => atMs >= endMs && atMs <= until) ?? null;
    const pausedMs = this.#pauses.find((atMs) => atMs >= endMs && atMs <= (understoodMs ?? until)) ?? null;
    const heardMs = understoodMs ?? pausedMs ?? endMs;
    const audioMs = answer?.audioMs ?? null;
    return {
      total_ms: Math.round(soundMs - endMs),
      endpointing_ms: between(endMs, pausedMs),
      recognizer_ms: between(pausedMs ?? endMs, understoodMs),
      model_ms: between(heardMs, answer?.saidMs ?? null),
      synthesis_ms: between(answer?.saidMs ?? endMs, audioMs),
      playout_ms: between(audioMs ?? soundMs, audioMs === null ? null : soundMs),
      utterance_id: answer?.utteranceId ?? null,
    };
  }
}

function note<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MAX_NOTED) list.shift();
}

function between(fromMs: number, toMs: number | null): number | null {
  return toMs === null ? null : Math.round(toMs - fromMs);
}
