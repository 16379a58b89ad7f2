export const SPEECH_KINDS = ['stt', 'tts'] as const;
/** Speech recognition (speech-to-text) or text-to-speech. */
export type SpeechKind = (typeof SPEECH_KINDS)[number];

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
