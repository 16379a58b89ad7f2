import type { AudioFormat } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';

/**
 * Text-to-speech of one call at one vendor. It connects at once, so that the first utterance need not wait, and
 * connects again by itself while the fault is temporary.
 */
export interface Synthesizer {
  readonly format: AudioFormat;
  /**
   * Speaks a piece of an utterance: whole sentences. The pieces of an utterance come in order, and utterances are spoken
   * one after the other. The caller cancels an utterance for which it has waited too long.
   */
  speak(piece: SpokenPiece): void;
  /** Abandons an utterance. Nothing more of it is reported, whatever the vendor still sends. */
  cancel(utteranceId: string): void;
  /** Ends the session in the vendor's way, within 2 s. */
  close(): Promise<void>;
}

/** `rateHz` is the rate of the call; the synthesizer may choose another. */
export type NewSynthesizer = (
  preset: SpeechPreset,
  rateHz: number,
  observer: SynthesizerObserver,
) => Synthesizer;

export interface SpokenPiece {
  readonly utteranceId: string;
  readonly text: string;
  /** No further piece of this utterance follows. */
  readonly isLast: boolean;
}

export interface SynthesizerObserver {
  /** Audio of an utterance: whole samples in the synthesizer's format. The bytes are the receiver's. */
  audio(utteranceId: string, data: Uint8Array): void;
  /** When parts of the utterance's text are spoken, in ms since its start. Only some vendors tell. */
  aligned(utteranceId: string, parts: readonly AlignedPart[]): void;
  /** All audio of the utterance has been reported. */
  ended(utteranceId: string): void;
  /** The utterance cannot be spoken to its end. Null: the session is over, and so are all its utterances. */
  failed(utteranceId: string | null, fault: SpeechFault): void;
  /**
   * The vendor cannot be reached, and the synthesizer tries again. An utterance that has been heard in part fails; the
   * others wait. Reported once until `reconnected`.
   */
  disconnected(fault: SpeechFault): void;
  /** The vendor is connected again. */
  reconnected(): void;
}

/** A part of the text, a word or a character with what separates it from the next, and when it starts. */
export interface AlignedPart {
  readonly text: string;
  readonly startMs: number;
}
