import { GatewayError } from '../base/errors.ts';
import type { SpeechKind } from '../base/speech.ts';
import type { StoredVoiceConfig } from '../store/speech/voice-configs.ts';

/** The account's voice presets, for calls. */
export interface VoicePresets {
  find(accountId: string, id: string): Promise<StoredVoiceConfig | undefined>;
  /** At most one of each kind. */
  enabled(accountId: string): Promise<readonly StoredVoiceConfig[]>;
}

/** Ids of the presets to use. Null: the account's enabled one. */
export type WantedPresets = Readonly<Record<SpeechKind, string | null>>;

/** The account's enabled presets. */
export const ENABLED_PRESETS: WantedPresets = { stt: null, tts: null };

/**
 * The presets of a call as they were when it began, their keys still sealed. Null: the agent exchanges raw audio (BYO
 * audio) for this side.
 */
export type CallPresets = Readonly<Record<SpeechKind, StoredVoiceConfig | null>>;

export const NO_PRESETS: CallPresets = { stt: null, tts: null };

/**
 * Chooses the presets of a call (specification, "Call endpoints").
 * @throws GatewayError `voice_config_not_found`, also for one of another account; `voice_config_wrong_kind`,
 * `voice_config_disabled`
 */
export async function choosePresets(
  presets: VoicePresets,
  accountId: string,
  wanted: WantedPresets,
): Promise<CallPresets> {
  const isComplete = wanted.stt !== null && wanted.tts !== null;
  const enabled = isComplete ? [] : await presets.enabled(accountId);
  const choose = async (kind: SpeechKind): Promise<StoredVoiceConfig | null> => {
    const id = wanted[kind];
    if (id === null) return enabled.find((preset) => preset.kind === kind) ?? null;
    return usable(await presets.find(accountId, id), kind);
  };
  return { stt: await choose('stt'), tts: await choose('tts') };
}

function usable(preset: StoredVoiceConfig | undefined, kind: SpeechKind): StoredVoiceConfig {
  if (preset === undefined) throw new GatewayError('voice_config_not_found');
  if (preset.kind !== kind) throw new GatewayError('voice_config_wrong_kind');
  if (!preset.enabled) throw new GatewayError('voice_config_disabled');
  return preset;
}
