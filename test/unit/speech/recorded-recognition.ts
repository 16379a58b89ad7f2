import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { Recognized, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';

/** What a recognizer has reported. */
export class RecordedRecognition implements RecognizerObserver {
  readonly interims: Recognized[] = [];
  readonly finals: Recognized[] = [];
  /** In order, without results: `turn started`, `disconnected rate_limited`, … */
  readonly events: string[] = [];
  readonly failures: SpeechFault[] = [];
  readonly disconnections: SpeechFault[] = [];

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
    this.failures.push(fault);
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

  /** The texts of all finals. */
  get texts(): string[] {
    return this.finals.map(({ text }) => text);
  }

  /** All words of all finals. */
  get words(): string {
    return this.texts.join(' ');
  }
}
