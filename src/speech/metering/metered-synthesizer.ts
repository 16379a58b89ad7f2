import type { Clock } from '../../base/time.ts';
import { type AudioFormat, bytesPerSecond } from '../audio-format.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import type { SpeechMeter } from './speech-meter.ts';

export interface MeterDeps {
  readonly meter: SpeechMeter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A synthesizer that is metered: what it is asked for, what it sends, and how soon. */
export class MeteredSynthesizer implements Synthesizer {
  readonly #synthesizer: Synthesizer;
  readonly #meter: SpeechMeter;
  readonly #clock: MeterDeps['clock'];
  /** When each utterance was asked for; null once it has audio. */
  readonly #asked = new Map<string, number | null>();

  constructor(
    connect: (observer: SynthesizerObserver) => Synthesizer,
    observer: SynthesizerObserver,
    { meter, clock }: MeterDeps,
  ) {
    this.#meter = meter;
    this.#clock = clock;
    this.#synthesizer = connect(this.#metered(observer));
  }

  get format(): AudioFormat {
    return this.#synthesizer.format;
  }

  speak(piece: SpokenPiece): void {
    if (!this.#asked.has(piece.utteranceId)) this.#asked.set(piece.utteranceId, this.#clock.monotonicMs());
    this.#meter.asked(piece.text.length);
    this.#synthesizer.speak(piece);
  }

  cancel(utteranceId: string): void {
    this.#asked.delete(utteranceId);
    this.#synthesizer.cancel(utteranceId);
  }

  close(): Promise<void> {
    return this.#synthesizer.close();
  }

  #metered(observer: SynthesizerObserver): SynthesizerObserver {
    return {
      audio: (utteranceId, data) => {
        this.#arrived(utteranceId, data.length);
        observer.audio(utteranceId, data);
      },
      aligned: (utteranceId, parts) => observer.aligned(utteranceId, parts),
      ended: (utteranceId) => {
        this.#asked.delete(utteranceId);
        observer.ended(utteranceId);
      },
      failed: (utteranceId, fault) => {
        if (utteranceId === null) this.#asked.clear();
        else this.#asked.delete(utteranceId);
        observer.failed(utteranceId, fault);
      },
      disconnected: (fault) => observer.disconnected(fault),
      reconnected: () => observer.reconnected(),
    };
  }

  #arrived(utteranceId: string, bytes: number): void {
    this.#meter.spoke((bytes * 1000) / bytesPerSecond(this.format));
    const askedMs = this.#asked.get(utteranceId) ?? null;
    if (askedMs === null) return;
    this.#asked.set(utteranceId, null);
    this.#meter.firstByte(this.#clock.monotonicMs() - askedMs);
  }
}
