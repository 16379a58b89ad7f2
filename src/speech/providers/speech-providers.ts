import type { SpeechProviderName } from '../../base/speech.ts';
import { assemblyai } from './assemblyai/assemblyai.ts';
import { cartesia } from './cartesia/cartesia.ts';
import { deepgram } from './deepgram/deepgram.ts';
import { elevenlabs } from './elevenlabs/elevenlabs.ts';
import { local } from './local/local.ts';
import { openai } from './openai/openai.ts';
import type { SpeechProvider } from './provider.ts';

const PROVIDERS: Readonly<Record<SpeechProviderName, SpeechProvider>> = {
  elevenlabs,
  deepgram,
  cartesia,
  assemblyai,
  openai,
  local,
};

export const SPEECH_PROVIDERS: readonly SpeechProvider[] = Object.values(PROVIDERS);

export function speechProvider(name: SpeechProviderName): SpeechProvider {
  return PROVIDERS[name];
}
