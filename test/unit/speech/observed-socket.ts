import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { VendorMessage } from '../../../src/speech/vendor-message.ts';
import type { VendorSocketObserver } from '../../../src/speech/vendor-socket.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Knows the newest timer's delay. */
export class RecordingClock extends ManualClock {
  lastDelayMs = 0;

  override after(delayMs: number, action: () => void): () => void {
    this.lastDelayMs = delayMs;
    return super.after(delayMs, action);
  }
}

/** What a socket has reported. */
export class ObservedSocket implements VendorSocketObserver {
  openings = 0;
  readonly messages: VendorMessage[] = [];
  readonly binaries: Uint8Array[] = [];
  readonly losses: SpeechFault[] = [];
  readonly failures: SpeechFault[] = [];

  opened(): void {
    this.openings += 1;
  }

  message(message: VendorMessage): void {
    this.messages.push(message);
  }

  binary(data: Uint8Array): void {
    this.binaries.push(data);
  }

  lost(fault: SpeechFault): void {
    this.losses.push(fault);
  }

  failed(fault: SpeechFault): void {
    this.failures.push(fault);
  }
}
