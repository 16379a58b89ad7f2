import { PublicUrl } from './values.ts';

/** Replaces the hosts of a speech provider, those of all its regions. Keys go nowhere else. */
function hostOf(provider: string, host: string) {
  return {
    default: null,
    shownDefault: host,
    schema: PublicUrl,
    meaning: `${provider}, or a proxy of your own for it; one URL for all regions`,
  };
}

/** Settings of hosted speech. */
export const SPEECH_VARIABLES = {
  SVC_ELEVENLABS_URL: hostOf('ElevenLabs', 'https://api.elevenlabs.io'),
  SVC_DEEPGRAM_URL: hostOf('Deepgram', 'https://api.deepgram.com'),
  SVC_CARTESIA_URL: hostOf('Cartesia', 'https://api.cartesia.ai'),
  SVC_ASSEMBLYAI_URL: hostOf("AssemblyAI's streaming API", 'https://streaming.assemblyai.com'),
  SVC_OPENAI_URL: hostOf('OpenAI', 'https://api.openai.com'),
} as const;
