import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { Recognized, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';
import type { AlignedPart, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';

/** What a synthesizer has reported. */
export class RecordedSynthesis implements SynthesizerObserver {
  /** In order, without audio and alignment: `ended 1`, `failed 2 unreachable`, … */
  readonly events: string[] = [];
  readonly faults: SpeechFault[] = [];
  readonly parts = new Map<string, AlignedPart[]>();
  readonly #audio = new Map<string, Uint8Array[]>();

  audio(utteranceId: string, data: Uint8Array): void {
    this.#audio.set(utteranceId, [...(this.#audio.get(utteranceId) ?? []), data]);
  }

  aligned(utteranceId: string, parts: readonly AlignedPart[]): void {
    this.parts.set(utteranceId, [...(this.parts.get(utteranceId) ?? []), ...parts]);
  }

  ended(utteranceId: string): void {
    this.events.push(`ended ${utteranceId}`);
  }

  failed(utteranceId: string | null, fault: SpeechFault): void {
    this.events.push(`failed ${utteranceId} ${fault.kind}`);
    this.faults.push(fault);
  }

  disconnected(fault: SpeechFault): void {
    this.events.push(`disconnected ${fault.kind}`);
    this.faults.push(fault);
  }

  reconnected(): void {
    this.events.push('reconnected');
  }

  audioOf(utteranceId: string): Uint8Array {
    return Buffer.concat(this.#audio.get(utteranceId) ?? []);
  }
}

/** What a recognizer has reported. */
export class RecordedRecognition implements RecognizerObserver {
  readonly finals: Recognized[] = [];
  readonly interims: Recognized[] = [];
  /** In order, without results: `turn started`, `disconnected rate_limited`, … */
  readonly events: string[] = [];
  readonly faults: SpeechFault[] = [];

  interim(result: Recognized): void {
    this.interims.push(result);
  }

  final(result: Recognized): void {
    this.finals.push(result);
  }

  turn(state: 'started' | 'ended'): void {
    this.events.push(`turn ${state}`);
  }

  failed(fault: SpeechFault): void {
    this.events.push(`failed ${fault.kind}`);
    this.faults.push(fault);
  }

  disconnected(fault: SpeechFault): void {
    this.events.push(`disconnected ${fault.kind}`);
    this.faults.push(fault);
  }

  reconnected(): void {
    this.events.push('reconnected');
  }

  /** The texts of all finals. */
  get texts(): string[] {
    return this.finals.map(({ text }) => text);
  }

  /** All words of all finals. */
  get words(): string {
    return this.texts.join(' ');
  }
}
