import { GatewayError } from '../../base/errors.ts';
import type { SpeechProviderName } from '../../base/speech.ts';
import type { StoredVoiceConfig } from '../../store/speech/voice-configs.ts';
import { askProvider, words } from '../providers/ask-provider.ts';
import { type KeyVerdict, keyVerdict } from '../providers/ask-vendor.ts';
import { speechProvider } from '../providers/speech-providers.ts';
import type { SpeechDomain } from '../speech-domain.ts';

const NOT_NEEDED: KeyVerdict = { status: 'not_needed', detail: null };

/** Whether a preset of this provider has a key. */
export function needsKey(name: SpeechProviderName): boolean {
  return speechProvider(name).keys !== null;
}

/**
 * Asks the provider about a key; null is the key of a provider that needs none. Throws TooManyAttempts,
 * `voice_engine_missing`, or `voice_provider_failed` when it cannot be asked.
 */
export async function checkKey(
  domain: SpeechDomain,
  accountId: string,
  { provider: name, kind, region }: Pick<StoredVoiceConfig, 'provider' | 'kind' | 'region'>,
  key: string | null,
): Promise<KeyVerdict> {
  const provider = speechProvider(name);
  const missing = provider.kinds[kind]?.missing?.() ?? null;
  if (missing !== null) throw new GatewayError('voice_engine_missing', missing);
  const { keys } = provider;
  if (key === null || keys === null) return NOT_NEEDED;
  const { status, detail } = await askProvider(domain, accountId, { provider, region, key }, (ask) =>
    keyVerdict(ask, keys),
  );
  return { status, detail: detail && words(detail, key) };
}
