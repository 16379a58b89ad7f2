import type { CallPresets } from '../../calls/choose-presets.ts';
import type { SecretBox } from '../../store/secrets/secret-box.ts';
import { openKey, type StoredVoiceConfig } from '../../store/speech/voice-configs.ts';
import { effectiveOptions } from '../options/options-schema.ts';
import { baseUrlOf, speechProvider } from '../providers/speech-providers.ts';
import type { SpeechUrls } from '../speech-domain.ts';
import type { ProviderSettings, SpeechService } from '../transport/speech-protocol.ts';

/** What speaks and listens on a call. Null: nothing. */
export type SpeechSettings = Readonly<Record<SpeechService, ProviderSettings | null>>;

export interface SpeechSettingsDeps {
  readonly secrets: SecretBox;
  readonly urls: SpeechUrls;
}

/** Returns what the presets of a call say, with their keys in plain text. */
export function speechSettings({ stt, tts }: CallPresets, deps: SpeechSettingsDeps): SpeechSettings {
  return { stt: stt && settingsOf(stt, deps), tts: tts && settingsOf(tts, deps) };
}

function settingsOf(preset: StoredVoiceConfig, { secrets, urls }: SpeechSettingsDeps): ProviderSettings {
  const provider = speechProvider(preset.provider);
  return {
    provider: provider.name,
    preset: {
      url: baseUrlOf(urls, provider, preset.region) ?? '',
      key: openKey(secrets, preset) ?? '',
      options: effectiveOptions(provider.kinds[preset.kind]?.fields ?? [], preset.options),
    },
  };
}
