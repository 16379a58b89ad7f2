import * as z from 'zod';
import { ProxyList, PublicUrl } from './values.ts';

/** A setting that replaces the host of a vendor, those of all its regions. Keys go nowhere else. */
function vendorHost(vendor: string, host: string) {
  return {
    default: null,
    shownDefault: host,
    schema: PublicUrl,
    meaning: `${vendor}, or a proxy of your own for it; one URL for all regions`,
  };
}

/** Settings of hosted speech and of the models behind agents. OpenAI's host is one of both. */
export const VENDOR_VARIABLES = {
  SVC_ELEVENLABS_URL: vendorHost('ElevenLabs', 'https://api.elevenlabs.io'),
  SVC_DEEPGRAM_URL: vendorHost('Deepgram', 'https://api.deepgram.com'),
  SVC_CARTESIA_URL: vendorHost('Cartesia', 'https://api.cartesia.ai'),
  SVC_ASSEMBLYAI_URL: vendorHost("AssemblyAI's streaming API", 'https://streaming.assemblyai.com'),
  SVC_OPENAI_URL: vendorHost('OpenAI', 'https://api.openai.com'),
  SVC_ANTHROPIC_URL: vendorHost('Anthropic', 'https://api.anthropic.com'),
  SVC_GEMINI_URL: vendorHost('Google Gemini', 'https://generativelanguage.googleapis.com'),
  SVC_MISTRAL_URL: vendorHost('Mistral', 'https://api.mistral.ai'),
  SVC_BEDROCK_URL: vendorHost('AWS Bedrock', 'https://bedrock-runtime.{region}.amazonaws.com'),
  SVC_ENTRA_URL: vendorHost('Microsoft Entra ID for Microsoft Foundry', 'https://login.microsoftonline.com'),
  SVC_MODELS_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated non-public addresses or subnets that endpoints of models may have, such as that of a model on your own network or of a proxy. `localhost` and names of the hosts file count if their addresses are listed here',
  },
  SVC_NEURAL_VOICE: {
    default: 'auto',
    schema: z.enum(['auto', 'off'], 'must be one of auto, off'),
    meaning:
      'Whether a neural network tells voices from music and tones where its addon was built: auto or off. The stand-ins for speech providers speak in tones, which only count as voices when it is off',
  },
  SVC_TURN_MODEL_URL: {
    default: null,
    schema: PublicUrl,
    meaning:
      'An API like that of OpenAI, with its version, such as `http://127.0.0.1:8000/v1`, whose model is asked whether a caller has said all when their words do not tell; within 0.6 s. Private addresses need SVC_MODELS_ALLOW',
  },
  SVC_TURN_MODEL: {
    default: 'turn',
    schema: z.string().min(1).max(100),
    meaning: 'Name of that model',
  },
  SVC_TURN_MODEL_KEY: {
    default: null,
    secret: true,
    schema: z.string().min(1).max(500),
    meaning: 'Key of that API; none without it',
  },
} as const;
