import type { AudioFormat } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';

/**
 * Speech-to-text of one voice at one vendor. It connects at once, keeps the last 5 s of audio while it connects again,
 * and reports each result once.
 */
export interface Recognizer {
  readonly format: AudioFormat;
  /** Length of the chunks that the vendor takes well, 40 to 100 ms. */
  readonly chunkMs: number;
  /** Takes a chunk of audio. The bytes are the recognizer's. */
  hear(chunk: Uint8Array): void;
  /** The voice has paused: asks the vendor for what it has understood so far. */
  flush(): void;
  /** Asks for the last results, then ends the session in the vendor's way, within 2 s. */
  close(): Promise<void>;
}

/** `rateHz` is the rate of the voice; the recognizer may choose another. */
export type NewRecognizer = (
  preset: SpeechPreset,
  rateHz: number,
  observer: RecognizerObserver,
) => Recognizer;

export interface RecognizerObserver {
  /** What is understood so far of an utterance that is still spoken. Replaces the previous interim result. */
  interim(result: Recognized): void;
  /** What was said, in order, once. */
  final(result: Recognized): void;
  /** The vendor says that the speaker's turn has started or ended. Only some vendors tell. */
  turn(state: 'started' | 'ended'): void;
  /** The session is over. */
  failed(fault: SpeechFault): void;
  /** The vendor cannot be reached, and the recognizer tries again. Reported once until `reconnected`. */
  disconnected(fault: SpeechFault): void;
  /** The vendor is connected again. */
  reconnected(): void;
}

/** Times are in ms of the audio heard since the session began. Null: the vendor does not tell. */
export interface Recognized {
  readonly text: string;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** 0 to 1. */
  readonly confidence: number | null;
  /** ISO 639-1. */
  readonly language: string | null;
  /** The vendor's label of the speaker where it tells several apart in one voice. */
  readonly speaker: string | null;
}
