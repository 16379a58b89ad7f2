import { type AudioFormat, bytesPerSecond } from '../audio-format.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import type { MeterDeps } from './metered-synthesizer.ts';
import type { SpeechMeter } from './speech-meter.ts';

/** A recognizer that is metered: how much it hears, and how soon its final results come. */
export class MeteredRecognizer implements Recognizer {
  readonly #recognizer: Recognizer;
  readonly #meter: SpeechMeter;
  readonly #clock: MeterDeps['clock'];
  #heardMs = 0;
  #flushedAtMs: number | null = null;

  constructor(
    connect: (observer: RecognizerObserver) => Recognizer,
    observer: RecognizerObserver,
    { meter, clock }: MeterDeps,
  ) {
    this.#meter = meter;
    this.#clock = clock;
    this.#recognizer = connect({
      interim: (result) => observer.interim(result),
      final: (result) => {
        this.#final(result);
        observer.final(result);
      },
      turn: (state) => observer.turn(state),
      failed: (fault) => observer.failed(fault),
      disconnected: (fault) => observer.disconnected(fault),
      reconnected: () => observer.reconnected(),
    });
  }

  get format(): AudioFormat {
    return this.#recognizer.format;
  }

  get chunkMs(): number {
    return this.#recognizer.chunkMs;
  }

  hear(chunk: Uint8Array): void {
    const milliseconds = (chunk.length * 1000) / bytesPerSecond(this.format);
    this.#heardMs += milliseconds;
    this.#meter.heard(milliseconds);
    this.#recognizer.hear(chunk);
  }

  flush(): void {
    this.#flushedAtMs = this.#clock.monotonicMs();
    this.#recognizer.flush();
  }

  close(): Promise<void> {
    return this.#recognizer.close();
  }

  /** Audio comes as fast as it is spoken, so a result is as old as the audio after its end is long. */
  #final({ endMs }: Recognized): void {
    if (endMs !== null) this.#meter.final(Math.max(0, this.#heardMs - endMs));
    else if (this.#flushedAtMs !== null) this.#meter.final(this.#clock.monotonicMs() - this.#flushedAtMs);
    this.#flushedAtMs = null;
  }
}
