import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { AlignedPart, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';
import { type ToneFormat, understand } from '../../fakes/tone-speech.ts';

/** What a synthesizer has reported. */
export class RecordedSynthesis implements SynthesizerObserver {
  /** In order, without audio and alignment: `ended 1`, `failed 2 unreachable`, … */
  readonly events: string[] = [];
  readonly ends: string[] = [];
  readonly failures: { readonly utteranceId: string | null; readonly fault: SpeechFault }[] = [];
  readonly disconnections: SpeechFault[] = [];
  readonly #chunks = new Map<string, Uint8Array[]>();
  readonly #parts = new Map<string, AlignedPart[]>();

  audio(utteranceId: string, data: Uint8Array): void {
    this.#chunks.set(utteranceId, [...this.chunksOf(utteranceId), data]);
  }

  aligned(utteranceId: string, parts: readonly AlignedPart[]): void {
    this.#parts.set(utteranceId, [...this.partsOf(utteranceId), ...parts]);
  }

  ended(utteranceId: string): void {
    this.events.push(`ended ${utteranceId}`);
    this.ends.push(utteranceId);
  }

  failed(utteranceId: string | null, fault: SpeechFault): void {
    this.events.push(`failed ${utteranceId} ${fault.kind}`);
    this.failures.push({ utteranceId, fault });
  }

  disconnected(fault: SpeechFault): void {
    this.events.push(`disconnected ${fault.kind}`);
    this.disconnections.push(fault);
  }

  reconnected(): void {
    this.events.push('reconnected');
  }

  get reconnections(): number {
    return this.events.filter((event) => event === 'reconnected').length;
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

  /** The words that are in the audio of an utterance. */
  heard(utteranceId: string, format: ToneFormat): string {
    return understand(Buffer.concat(this.chunksOf(utteranceId)), format);
  }

  partsOf(utteranceId: string): readonly AlignedPart[] {
    return this.#parts.get(utteranceId) ?? [];
  }
}
