import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { AlignedPart, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';
import { type ToneFormat, understand } from '../../fakes/tone-speech.ts';

/** Records what a synthesizer reports. */
export class RecordedSynthesis implements SynthesizerObserver {
  readonly ends: string[] = [];
  readonly failures: { readonly utteranceId: string | null; readonly fault: SpeechFault }[] = [];
  readonly disconnections: SpeechFault[] = [];
  reconnections = 0;
  readonly #chunks = new Map<string, Uint8Array[]>();
  readonly #parts = new Map<string, AlignedPart[]>();
  readonly #format: ToneFormat;

  constructor(format: ToneFormat) {
    this.#format = format;
  }

  audio(utteranceId: string, data: Uint8Array): void {
    this.#chunks.set(utteranceId, [...(this.#chunks.get(utteranceId) ?? []), data]);
  }

  aligned(utteranceId: string, parts: readonly AlignedPart[]): void {
    this.#parts.set(utteranceId, [...(this.#parts.get(utteranceId) ?? []), ...parts]);
  }

  ended(utteranceId: string): void {
    this.ends.push(utteranceId);
  }

  failed(utteranceId: string | null, fault: SpeechFault): void {
    this.failures.push({ utteranceId, fault });
  }

  disconnected(fault: SpeechFault): void {
    this.disconnections.push(fault);
  }

  reconnected(): void {
    this.reconnections += 1;
  }

  /** All utterances that ended or failed. */
  get settled(): number {
    return this.ends.length + this.failures.length;
  }

  chunksOf(utteranceId: string): readonly Uint8Array[] {
    return this.#chunks.get(utteranceId) ?? [];
  }

  audioBytes(utteranceId: string): number {
    return this.chunksOf(utteranceId).reduce((sum, { length }) => sum + length, 0);
  }

  /** The words that were heard of an utterance. */
  heard(utteranceId: string): string {
    return understand(Buffer.concat(this.chunksOf(utteranceId)), this.#format);
  }

  partsOf(utteranceId: string): readonly AlignedPart[] {
    return this.#parts.get(utteranceId) ?? [];
  }
}
