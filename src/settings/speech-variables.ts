import { vendorHost } from './vendor-host.ts';

/** Settings of hosted speech. */
export const SPEECH_VARIABLES = {
  SVC_ELEVENLABS_URL: vendorHost('ElevenLabs', 'https://api.elevenlabs.io'),
  SVC_DEEPGRAM_URL: vendorHost('Deepgram', 'https://api.deepgram.com'),
  SVC_CARTESIA_URL: vendorHost('Cartesia', 'https://api.cartesia.ai'),
  SVC_ASSEMBLYAI_URL: vendorHost("AssemblyAI's streaming API", 'https://streaming.assemblyai.com'),
  SVC_OPENAI_URL: vendorHost('OpenAI', 'https://api.openai.com'),
} as const;
