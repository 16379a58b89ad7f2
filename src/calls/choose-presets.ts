import { GatewayError } from '../base/errors.ts';
import type { PresetIds, SpeechKind } from '../base/speech.ts';
import type { StoredVoiceConfig } from '../store/speech/voice-configs.ts';

/** The account's voice presets, for calls. */
export interface VoicePresets {
  find(accountId: string, id: string): Promise<StoredVoiceConfig | undefined>;
  /** At most one of each kind. */
  enabled(accountId: string): Promise<readonly StoredVoiceConfig[]>;
}

/** The account's enabled presets. */
export const ENABLED_PRESETS: PresetIds = { stt: null, tts: null };

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
  wanted: PresetIds,
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

/**
 * Chooses the presets of an inbound call. A disabled one that its number names leaves its side to raw audio: the number
 * is not to speak with another voice. One that was deleted counts as not named.
 */
export async function presetsOfNumber(
  presets: VoicePresets,
  accountId: string,
  named: PresetIds,
): Promise<CallPresets> {
  const enabled = await presets.enabled(accountId);
  const choose = async (kind: SpeechKind): Promise<StoredVoiceConfig | null> => {
    const id = named[kind];
    const preset = id === null ? undefined : await presets.find(accountId, id);
    if (preset === undefined) return enabled.find((each) => each.kind === kind) ?? null;
    return preset.enabled && preset.kind === kind ? preset : null;
  };
  return { stt: await choose('stt'), tts: await choose('tts') };
}

function usable(preset: StoredVoiceConfig | undefined, kind: SpeechKind): StoredVoiceConfig {
  if (preset === undefined) throw new GatewayError('voice_config_not_found');
  if (preset.kind !== kind) throw new GatewayError('voice_config_wrong_kind');
  if (!preset.enabled) throw new GatewayError('voice_config_disabled');
  return preset;
}
