import type { TurnMetrics } from '../base/speech.ts';
import type { MeasuredTurn } from '../threads/protocol.ts';

/** Stages noted and not used yet. More belong to no turn of today. */
const MAX_NOTED = 32;

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
  readonly #pauses: number[] = [];
  readonly #transcripts: number[] = [];
  readonly #utterances: Utterance[] = [];

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
  }

  split({ endMs, soundMs }: MeasuredTurn): TurnMetrics {
    const answer = this.#utterances.findLast(
      ({ saidMs, audioMs }) => audioMs !== null && audioMs <= soundMs && saidMs >= endMs,
    );
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
