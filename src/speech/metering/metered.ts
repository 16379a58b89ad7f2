import type { Clock } from '../../base/time.ts';
import { type AudioFormat, bytesPerSecond } from '../audio-format.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import type { SpeechMeter } from './speech-meter.ts';

interface MeterDeps {
  readonly meter: SpeechMeter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A synthesizer that is metered: what it is asked for, what it sends, and how soon. */
export class MeteredSynthesizer implements Synthesizer {
  readonly #deps: MeterDeps;
  readonly #synthesizer: Synthesizer;
  /** When each utterance was asked for; null once it has audio. */
  readonly #asked = new Map<string, number | null>();

  constructor(
    connect: (observer: SynthesizerObserver) => Synthesizer,
    observer: SynthesizerObserver,
    deps: MeterDeps,
  ) {
    this.#deps = deps;
    const metered = metering(observer, {
      audio: (utteranceId, data) => this.#arrived(utteranceId, data.length),
      ended: (utteranceId) => void this.#asked.delete(utteranceId),
      failed: (utteranceId) => {
        if (utteranceId === null) this.#asked.clear();
        else this.#asked.delete(utteranceId);
      },
    });
    this.#synthesizer = connect(metered);
  }

  get format(): AudioFormat {
    return this.#synthesizer.format;
  }

  speak(piece: SpokenPiece): void {
    const { meter, clock } = this.#deps;
    if (!this.#asked.has(piece.utteranceId)) this.#asked.set(piece.utteranceId, clock.monotonicMs());
    meter.asked(piece.text.length);
    this.#synthesizer.speak(piece);
  }

  cancel(utteranceId: string): void {
    this.#asked.delete(utteranceId);
    this.#synthesizer.cancel(utteranceId);
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }

  #arrived(utteranceId: string, bytes: number): void {
    const { meter, clock } = this.#deps;
    meter.spoke((bytes * 1000) / bytesPerSecond(this.format));
    const askedMs = this.#asked.get(utteranceId) ?? null;
    if (askedMs === null) return;
    this.#asked.set(utteranceId, null);
    meter.firstByte(clock.monotonicMs() - askedMs);
  }
}

/** A recognizer that is metered: how much it hears, and how soon its final results come. */
export class MeteredRecognizer implements Recognizer {
  readonly #deps: MeterDeps;
  readonly #recognizer: Recognizer;
  #heardMs = 0;
  #flushedAtMs: number | null = null;

  constructor(
    connect: (observer: RecognizerObserver) => Recognizer,
    observer: RecognizerObserver,
    deps: MeterDeps,
  ) {
    this.#deps = deps;
    this.#recognizer = connect(metering(observer, { final: (result) => this.#final(result) }));
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
    this.#deps.meter.heard(milliseconds);
    this.#recognizer.hear(chunk);
  }

  flush(): void {
    this.#flushedAtMs = this.#deps.clock.monotonicMs();
    this.#recognizer.flush();
  }

  close(): Promise<void> {
    return this.#recognizer.close();
  }

  /** Audio comes as fast as it is spoken, so a result is as old as the audio after its end is long. */
  #final({ endMs }: Recognized): void {
    const { meter, clock } = this.#deps;
    if (endMs !== null) meter.final(Math.max(0, this.#heardMs - endMs));
    else if (this.#flushedAtMs !== null) meter.final(clock.monotonicMs() - this.#flushedAtMs);
    this.#flushedAtMs = null;
  }
}

/** Returns an observer that counts, and then tells the other one. */
function metering<Observer extends object>(observer: Observer, counts: Partial<Observer>): Observer {
  type Method = ((...args: unknown[]) => void) | undefined;
  return new Proxy(observer, {
    get: (target, name) => {
      const [count, tell] = [Reflect.get(counts, name) as Method, Reflect.get(target, name) as Method];
      return (...args: unknown[]): void => {
        count?.(...args);
        tell?.apply(target, args);
      };
    },
  });
}
