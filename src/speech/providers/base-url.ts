import type { SpeechUrls } from '../speech-domain.ts';
import type { SpeechProvider } from './provider.ts';

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
