export const SPEECH_KINDS = ['stt', 'tts'] as const;
/** Speech recognition (speech-to-text) or text-to-speech. */
export type SpeechKind = (typeof SPEECH_KINDS)[number];

/** Ids of voice presets. Null: the account's enabled one. */
export type PresetIds = Readonly<Record<SpeechKind, string | null>>;

/** Providers of hosted speech (specification, "Voice preset"); `local` runs in the gateway. */
export const SPEECH_PROVIDER_NAMES = [
  'elevenlabs',
  'deepgram',
  'cartesia',
  'assemblyai',
  'openai',
  'local',
] as const;
export type SpeechProviderName = (typeof SPEECH_PROVIDER_NAMES)[number];

/** What somebody said, as it was recognized. Null: the provider does not tell. */
export interface RecognizedLine {
  readonly speaker: string;
  readonly text: string;
  /** In ms since the gateway began to listen. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** 0 to 1. */
  readonly confidence: number | null;
  /** ISO 639-1. */
  readonly language: string | null;
}

/**
 * How long the far end waited for an answer, in ms, on its side of all buffers: from the end of what it said to the first
 * sound of the answer. The parts are known of hosted speech only; null: unknown.
 */
export interface TurnMetrics {
  readonly total_ms: number;
  /** Until the end was noticed. Null: the recognizer decided it by itself. */
  readonly endpointing_ms: number | null;
  /** Until the words were there. */
  readonly recognizer_ms: number | null;
  /** Until the agent said something. */
  readonly model_ms: number | null;
  /** Until there was audio of it. */
  readonly synthesis_ms: number | null;
  /** Until it was heard. */
  readonly playout_ms: number | null;
  /** The utterance that answered. */
  readonly utterance_id: string | null;
}
