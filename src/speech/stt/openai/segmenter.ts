/** One utterance of a voice, with a little of what came before it. */
export interface SpeechSegment {
  /** 16 bits, mono. */
  readonly wav: Uint8Array<ArrayBuffer>;
  /** In ms of the audio heard since the session began. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Cuts a voice into utterances, by voice activity. */
export interface Segmenter {
  /** Takes the next 20 ms, silence included. Returns the utterance that ended with them. */
  hear(samples: Int16Array): SpeechSegment | null;
  /** Ends the voice. Returns its last utterance. */
  close(): SpeechSegment | null;
}

export interface SegmentLimits {
  /** Audio before the voice was noticed. */
  readonly preRollMs: number;
  /** Silence that ends an utterance. */
  readonly endAfterMs: number;
  /** Longest utterance. What is longer becomes two. */
  readonly maxMs: number;
  /** A shorter voice is dropped, because recognizers invent text for noises. */
  readonly minVoicedMs: number;
}
