import type { Clock } from '../../base/time.ts';

/** Limit on times that wait to be reported. A report takes them every second. */
const MAX_TIMES = 64;

/** What the speech of a call has used and how fast its vendors were, since the last report. */
export interface SpeechCounts {
  /** Characters of text that the vendor was asked to speak. */
  readonly characters: number;
  /** Audio that the vendor has sent. */
  readonly spokenMs: number;
  /** Audio that was sent to the vendor. */
  readonly heardMs: number;
  /** For each utterance: from the request for its first piece to its first audio. */
  readonly firstByteMs: readonly number[];
  /** For each result: from the end of what was said, where the vendor tells it, to the final result. */
  readonly finalMs: readonly number[];
  readonly droppedInterims: number;
  /** Voices that were recognized with their noise, because too many are recognized without. */
  readonly unsuppressed: number;
}

/** Counts on the bridge thread, for reports to the main thread. */
export class SpeechMeter {
  #counts = nothing();

  asked(characters: number): void {
    this.#counts.characters += characters;
  }

  spoke(milliseconds: number): void {
    this.#counts.spokenMs += milliseconds;
  }

  heard(milliseconds: number): void {
    this.#counts.heardMs += milliseconds;
  }

  firstByte(milliseconds: number): void {
    const { firstByteMs } = this.#counts;
    if (firstByteMs.length < MAX_TIMES) firstByteMs.push(milliseconds);
  }

  final(milliseconds: number): void {
    const { finalMs } = this.#counts;
    if (finalMs.length < MAX_TIMES) finalMs.push(milliseconds);
  }

  interimDropped(): void {
    this.#counts.droppedInterims++;
  }

  unsuppressed(): void {
    this.#counts.unsuppressed++;
  }

  /** What was counted since the last `reset`; null: nothing. */
  get counts(): SpeechCounts | null {
    const { firstByteMs, finalMs, ...numbers } = this.#counts;
    const isNothing = Object.values(numbers).every((number) => number === 0);
    return isNothing && firstByteMs.length + finalMs.length === 0 ? null : this.#counts;
  }

  reset(): void {
    this.#counts = nothing();
  }
}

function nothing() {
  const [firstByteMs, finalMs]: [number[], number[]] = [[], []];
  return {
    characters: 0,
    spokenMs: 0,
    heardMs: 0,
    firstByteMs,
    finalMs,
    droppedInterims: 0,
    unsuppressed: 0,
  };
}

const REPORT_MS = 1_000;

type CountsSignal = { readonly type: 'counts' } & SpeechCounts;

interface Outbox {
  /** Returns whether the signal was sent. */
  offer(signal: CountsSignal): boolean;
  send(signal: CountsSignal): void;
}

/** Reports what the speech of a call has used, at most once a second. */
export class CountsReport {
  readonly meter = new SpeechMeter();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #outbox: Outbox;
  #reportedMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, outbox: Outbox) {
    this.#clock = clock;
    this.#outbox = outbox;
    this.#reportedMs = clock.monotonicMs();
  }

  /** Call it once a second at least. */
  look(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    const counts = this.meter.counts;
    if (counts !== null && this.#outbox.offer({ type: 'counts', ...counts })) this.meter.reset();
  }

  /** Reports the rest. */
  end(): void {
    const counts = this.meter.counts;
    if (counts !== null) this.#outbox.send({ type: 'counts', ...counts });
    this.meter.reset();
  }
}
