import type { SpeechProviderName } from '../../base/speech.ts';
import type { SpeechUrls } from '../speech-domain.ts';
import { assemblyai } from '../vendors/assemblyai/assemblyai.ts';
import { cartesia } from '../vendors/cartesia/cartesia.ts';
import { deepgram } from '../vendors/deepgram/deepgram.ts';
import { elevenlabs } from '../vendors/elevenlabs/elevenlabs.ts';
import { openai } from '../vendors/openai/openai.ts';
import { local } from './local.ts';
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

/**
 * Returns the origin of a provider's HTTP API: the operator's, else that of the region, without a trailing slash. Null:
 * the provider runs in the gateway.
 */
export function baseUrlOf(
  urls: SpeechUrls,
  { name, regions }: SpeechProvider,
  region: string | null,
): string | null {
  const known = regions.find((one) => one.name === region) ?? regions[0];
  if (name === 'local' || known === undefined) return null;
  return urls[name] ?? known.url;
}
