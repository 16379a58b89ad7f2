import { platformWords } from '../../accounts/connections/platform-words.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { SpeechProviderName } from '../../base/speech.ts';
import type { SpeechDomain, SpeechUrls } from '../speech-domain.ts';
import { assemblyai } from '../vendors/assemblyai/assemblyai.ts';
import { cartesia } from '../vendors/cartesia/cartesia.ts';
import { deepgram } from '../vendors/deepgram/deepgram.ts';
import { elevenlabs } from '../vendors/elevenlabs/elevenlabs.ts';
import { openai } from '../vendors/openai/openai.ts';
import { type AskVendor, askWithin, VendorFailed, VendorRefused } from './ask-vendor.ts';
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

/** A provider, and the key for its region. */
export interface ProviderAccess {
  readonly provider: SpeechProvider;
  /** Null: the provider's default region. */
  readonly region: string | null;
  readonly key: string;
}

/**
 * Asks a provider within 5 s. Its words never quote the key. Throws `email_not_verified`, TooManyAttempts,
 * `voice_key_refused` or `voice_provider_failed`.
 */
export async function askProvider<T>(
  domain: SpeechDomain,
  accountId: string,
  { provider, region, key }: ProviderAccess,
  question: (ask: AskVendor) => Promise<T>,
): Promise<T> {
  await requireVerifiedAddress(domain.store.db, accountId);
  const baseUrl = baseUrlOf(domain.urls, provider, region);
  const { keys } = provider;
  assert(baseUrl !== null && keys !== null, 'local engines are not asked');
  domain.quota.count(accountId);
  try {
    return await askWithin(domain.clock, { keys, baseUrl, key }, question);
  } catch (error) {
    if (error instanceof VendorRefused) throw keyRefused(provider, words(error.message, key));
    if (!(error instanceof VendorFailed)) throw error;
    const text = `${provider.title} could not be asked: ${words(error.message, key)}`;
    throw new GatewayError('voice_provider_failed', text);
  }
}

export function keyRefused({ title }: SpeechProvider, reason: string): GatewayError {
  return new GatewayError('voice_key_refused', `${title} refused the key: ${reason}`);
}

/** Returns a provider's words in one line, without the key. */
export function words(text: string, key: string): string {
  return platformWords([text], [key, encodeURIComponent(key)]);
}
