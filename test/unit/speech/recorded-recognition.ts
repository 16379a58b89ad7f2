import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { Recognized, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';

/** Records what a recognizer reports. */
export class RecordedRecognition implements RecognizerObserver {
  readonly interims: Recognized[] = [];
  readonly finals: Recognized[] = [];
  readonly turns: ('started' | 'ended')[] = [];
  readonly failures: SpeechFault[] = [];
  readonly disconnections: SpeechFault[] = [];
  reconnections = 0;

  interim(result: Recognized): void {
    this.interims.push(result);
  }

  final(result: Recognized): void {
    this.finals.push(result);
  }

  turn(state: 'started' | 'ended'): void {
    this.turns.push(state);
  }

  failed(fault: SpeechFault): void {
    this.failures.push(fault);
  }

  disconnected(fault: SpeechFault): void {
    this.disconnections.push(fault);
  }

  reconnected(): void {
    this.reconnections += 1;
  }

  get texts(): string[] {
    return this.finals.map(({ text }) => text);
  }
}
