import type { VoiceDetector } from '../../../src/speech/hearing/voice-detector.ts';

const LOUD = 500;

/** Takes everything that is not quiet for speech. */
export class LevelDetector implements VoiceDetector {
  isSpeaking = false;
  isClosed = false;

  hear(frame: Int16Array): 'started' | 'ended' | null {
    const was = this.isSpeaking;
    this.isSpeaking = frame.some((sample) => Math.abs(sample) > LOUD);
    if (was === this.isSpeaking) return null;
    return this.isSpeaking ? 'started' : 'ended';
  }

  close(): void {
    this.isClosed = true;
  }
}
