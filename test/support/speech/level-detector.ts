import type { VoiceDetector } from '../../../src/speech/hearing/voice-detector.ts';

const LOUD = 500;

/** Takes everything that is not quiet for speech. */
export class LevelDetector implements VoiceDetector {
  isSpeaking = false;
  isClosed = false;
  isSending = false;

  hear(frame: Int16Array): 'started' | 'ended' | null {
    const was = this.isSpeaking;
    this.isSpeaking = frame.some((sample) => Math.abs(sample) > LOUD);
    if (was === this.isSpeaking) return null;
    return this.isSpeaking ? 'started' : 'ended';
  }

  get isVoiced(): boolean {
    return this.isSpeaking;
  }

  get isHeard(): boolean {
    return this.isSpeaking;
  }

  sent(power: number): void {
    this.isSending = power > 0;
  }

  turn(state: 'started' | 'ended'): 'started' | 'ended' | null {
    const isSpeaking = state === 'started';
    if (isSpeaking === this.isSpeaking) return null;
    this.isSpeaking = isSpeaking;
    return state;
  }

  close(): void {
    this.isClosed = true;
  }
}
