import type { Clock } from '../../base/time.ts';
import type { SpeechSignal } from '../transport/speech-protocol.ts';
import { SpeechMeter } from './speech-meter.ts';

const REPORT_MS = 1_000;

interface Outbox {
  /** Returns whether the signal was sent. */
  offer(signal: SpeechSignal): boolean;
  send(signal: SpeechSignal): void;
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
