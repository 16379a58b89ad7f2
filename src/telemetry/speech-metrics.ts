import { Counter, Histogram, type Registry } from 'prom-client';

const FIRST_BYTE_BUCKETS_S = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10];
const FINAL_BUCKETS_S = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

/** A provider in one of its kinds. */
export interface SpeechSource {
  readonly service: 'stt' | 'tts';
  readonly provider: string;
}

/** What hosted speech used of a provider, and how fast it was. */
export interface CountedSpeech {
  readonly characters: number;
  readonly spokenMs: number;
  readonly heardMs: number;
  readonly firstByteMs: readonly number[];
  readonly finalMs: readonly number[];
}

/** The metrics of hosted speech, per provider. */
export class SpeechMetrics {
  readonly #registry: Registry;
  readonly #errors;
  readonly #reconnects;
  readonly #characters;
  readonly #spokenSeconds;
  readonly #heardSeconds;
  readonly #firstByteSeconds;
  readonly #finalSeconds;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#errors = this.#counter('errors', 'Faults of speech providers', ['service', 'provider', 'kind']);
    this.#reconnects = this.#counter('reconnects', 'Connections to speech providers that were made again', [
      'service',
      'provider',
    ]);
    this.#characters = this.#counter('characters', 'Characters that were to be spoken', ['provider']);
    this.#spokenSeconds = this.#counter('spoken_seconds', 'Audio from text-to-speech', ['provider']);
    this.#heardSeconds = this.#counter('heard_seconds', 'Audio sent to speech recognition', ['provider']);
    this.#firstByteSeconds = this.#histogram(
      'first_byte_seconds',
      'Time from the request for a text to its first audio',
      FIRST_BYTE_BUCKETS_S,
    );
    this.#finalSeconds = this.#histogram(
      'final_seconds',
      'Time from the end of what was said to its final transcript',
      FINAL_BUCKETS_S,
    );
  }

  /** `kind` is that of a SpeechFault, or `internal`. */
  failed({ service, provider }: SpeechSource, kind: string): void {
    this.#errors.inc({ service, provider, kind });
  }

  reconnected({ service, provider }: SpeechSource): void {
    this.#reconnects.inc({ service, provider });
  }

  spoke(provider: string, { characters, spokenMs, firstByteMs }: CountedSpeech): void {
    this.#characters.inc({ provider }, characters);
    this.#spokenSeconds.inc({ provider }, spokenMs / 1000);
    for (const milliseconds of firstByteMs) this.#firstByteSeconds.observe({ provider }, milliseconds / 1000);
  }

  heard(provider: string, { heardMs, finalMs }: CountedSpeech): void {
    this.#heardSeconds.inc({ provider }, heardMs / 1000);
    for (const milliseconds of finalMs) this.#finalSeconds.observe({ provider }, milliseconds / 1000);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `svc_speech_${name}_total`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram<'provider'> {
    return new Histogram({
      name: `svc_speech_${name}`,
      help,
      labelNames: ['provider'] as const,
      buckets,
      registers: [this.#registry],
    });
  }
}
