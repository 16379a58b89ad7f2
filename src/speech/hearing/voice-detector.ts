/** Tells when one voice starts and stops speaking. Pauses between words count as speech. */
export interface VoiceDetector {
  readonly isSpeaking: boolean;
  /** Whether the last frame was speech of the voice by itself. */
  readonly isVoiced: boolean;
  /** Whether the last frame was speech of the voice, or shortly after it. */
  readonly isHeard: boolean;
  /** Whether something was sent to the voice lately that is loud enough to be spoken over. */
  readonly isSending: boolean;
  /** Takes the next 20 ms, at the rate that it was made for. Returns what changes with them. */
  hear(frame: Int16Array): 'started' | 'ended' | null;
  /** Takes the power of what is sent to the voice at the same time, relative to full scale. */
  sent(power: number): void;
  /** A recognizer says that the voice has started or stopped speaking. Returns what changes with that. */
  turn(state: 'started' | 'ended'): 'started' | 'ended' | null;
  /** Frees its memory. Call it once. */
  close(): void;
}

export type NewVoiceDetector = (sampleRateHz: number) => VoiceDetector;
