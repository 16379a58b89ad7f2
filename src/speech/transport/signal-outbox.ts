import type { TransportHost } from '../../media/transport.ts';
import type { SpeechSignal } from './speech-protocol.ts';

/** Signals kept for a main thread that is behind. It then has several minutes of speech to catch up with. */
const MAX_KEPT = 1_000;

/** Signals on their way to the main thread, in order. None of those handed to `send` is lost: if too many wait, the speech of the call fails. */
export class SignalOutbox {
  readonly #host: TransportHost<SpeechSignal>;
  readonly #kept: SpeechSignal[] = [];

  constructor(host: TransportHost<SpeechSignal>) {
    this.#host = host;
  }

  send(signal: SpeechSignal): void {
    this.#kept.push(signal);
    this.flush();
    if (this.#kept.length > MAX_KEPT) this.#host.fail(new Error('The main thread does not take signals'));
  }

  /** Sends a signal that others make up for, unless the main thread is behind. Returns whether it was sent. */
  offer(signal: SpeechSignal): boolean {
    return this.#kept.length === 0 && this.#host.emit(signal);
  }

  /** Sends what was kept. Call it again and again. */
  flush(): void {
    for (let signal = this.#kept[0]; signal !== undefined; signal = this.#kept[0]) {
      if (!this.#host.emit(signal)) return;
      this.#kept.shift();
    }
  }
}
