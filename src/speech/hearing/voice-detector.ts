/** Tells when one voice starts and stops speaking. Pauses between words count as speech. */
export interface VoiceDetector {
  readonly isSpeaking: boolean;
  /** Takes the next 20 ms, at the rate that it was made for. Returns what changes with them. */
  hear(frame: Int16Array): 'started' | 'ended' | null;
  /** Frees its memory. Call it once. */
  close(): void;
}

export type NewVoiceDetector = (sampleRateHz: number) => VoiceDetector;
