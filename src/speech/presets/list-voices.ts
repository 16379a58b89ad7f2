import { platformWords } from '../../accounts/connections/platform-words.ts';
import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { SpeechProviderName } from '../../base/speech.ts';
import { openKey } from '../../store/speech/voice-configs.ts';
import type { SpeechProvider } from '../providers/provider.ts';
import { askProvider, speechProvider } from '../providers/speech-providers.ts';
import type { Voice, VoiceList } from '../providers/voices.ts';
import type { SpeechDomain } from '../speech-domain.ts';
import { requirePreset } from './presets.ts';

const MAX_ID_LENGTH = 100;
const MAX_URL_LENGTH = 2_048;
const MAX_LANGUAGES = 50;

/** Whose voices to list: those of a key, or of a stored preset's key. Null: the provider needs no key. */
export type VoicesOf =
  | { readonly apiKey: string; readonly region: string | null }
  | { readonly presetId: string }
  | null;

/**
 * Lists the voices of a provider. Throws `capability_missing` if it does not speak, `voice_config_not_found`,
 * TooManyAttempts, `voice_key_refused`, `voice_provider_failed`.
 */
export async function listVoices(
  domain: SpeechDomain,
  accountId: string,
  name: SpeechProviderName,
  whose: VoicesOf,
): Promise<VoiceList> {
  const provider = speechProvider(name);
  if (provider.listVoices === null)
    throw new GatewayError('capability_missing', `${provider.title} only recognizes speech`);
  const access = await accessOf(domain, accountId, provider, whose);
  if (access === null) return await provider.listVoices(neverAsked);
  const { voices, isCut } = await askProvider(
    domain,
    accountId,
    { provider, ...access },
    provider.listVoices,
  );
  return { voices: voices.flatMap((voice) => cleaned(voice, access.key)), isCut };
}

async function accessOf(
  { store }: SpeechDomain,
  accountId: string,
  provider: SpeechProvider,
  whose: VoicesOf,
): Promise<{ key: string; region: string | null } | null> {
  if (whose === null) return null;
  if ('apiKey' in whose) return { key: whose.apiKey, region: whose.region };
  const preset = await requirePreset(store.db, accountId, whose.presetId);
  if (preset.provider !== provider.name) throw new GatewayError('voice_config_not_found');
  const key = openKey(store.secrets, preset);
  return key === null ? null : { key, region: preset.region };
}

async function neverAsked(): Promise<never> {
  assert(false, 'a provider without a key asks nobody');
}

/** Returns a voice in one line per text and without the key; nothing if its id could not be an option. */
function cleaned({ id, name, description, languages, gender, previewUrl }: Voice, key: string): Voice[] {
  if (id === '' || id.length > MAX_ID_LENGTH || id !== platformWords([id], [key])) return [];
  const clean = (text: string): string => platformWords([text], [key]);
  return [
    {
      id,
      name: clean(name),
      description: description && clean(description),
      languages: languages.slice(0, MAX_LANGUAGES).map(clean),
      gender: gender && clean(gender),
      previewUrl: previewUrl !== null && isWebUrl(previewUrl, key) ? previewUrl : null,
    },
  ];
}

function isWebUrl(text: string, key: string): boolean {
  if (text.length > MAX_URL_LENGTH || text.includes(key)) return false;
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
