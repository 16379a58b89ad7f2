import { Doorbell } from './doorbell.ts';
import { ringMemory } from './ring-layout.ts';
import { SENT_LEVEL_BYTES } from './sent-level.ts';
import { SPEECH_CONTROL_BYTES } from './speech-control.ts';

/** 683 ms at 24 kHz: as long as a bridge thread may be busy with other transports. */
const SAYS_SAMPLES = 16_384;

/** The hosted speech of one call between its bridge thread and its engine thread, in shared memory. */
export interface SpeechRings {
  /** Ring memory of what is spoken, at any rate. */
  readonly says: SharedArrayBuffer;
  /** See SpeechControl. */
  readonly control: SharedArrayBuffer;
  /** See SentLevel. Noted while a voice of the call is tapped. */
  readonly sent: SharedArrayBuffer;
  /** Rung when something starts or stops to be spoken, and every 40 ms while something is spoken or heard. */
  readonly doorbell: SharedArrayBuffer;
}

export function newSpeechRings(): SpeechRings {
  return {
    says: ringMemory(SAYS_SAMPLES),
    control: new SharedArrayBuffer(SPEECH_CONTROL_BYTES),
    sent: new SharedArrayBuffer(SENT_LEVEL_BYTES),
    doorbell: new Doorbell().memory,
  };
}
