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
