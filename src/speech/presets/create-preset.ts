import { randomUUID } from 'node:crypto';
import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';
import { insertRow } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import { disableVoiceConfig, type StoredVoiceConfig, sealKey } from '../../store/speech/voice-configs.ts';
import { keyRefused } from '../providers/ask-provider.ts';
import type { KeyVerdict } from '../providers/ask-vendor.ts';
import { speechProvider } from '../providers/speech-providers.ts';
import type { SpeechDomain } from '../speech-domain.ts';
import { checkKey } from './check-key.ts';
import { assertMayAdd } from './presets.ts';

/** A preset to create. Its options are valid for the provider and kind. */
export interface NewPreset {
  readonly kind: SpeechKind;
  readonly provider: SpeechProviderName;
  /** Null: the provider's title. */
  readonly name: string | null;
  /** Null: the provider's default region. */
  readonly region: string | null;
  readonly options: PresetOptions;
  /** Null: the provider needs none. */
  readonly apiKey: string | null;
  readonly enabled: boolean;
}

/**
 * Asks the provider about the key, then stores the preset with the key encrypted. An enabled one disables the account's
 * other preset of the kind. Throws `email_not_verified`, `cap_reached`, TooManyAttempts, `voice_key_refused`,
 * `voice_engine_missing`, `voice_provider_failed`.
 */
export async function createPreset(
  domain: SpeechDomain,
  actor: Actor,
  wanted: NewPreset,
): Promise<StoredVoiceConfig> {
  const { store, clock } = domain;
  const { accountId } = actor;
  const { kind, provider, enabled } = wanted;
  await assertMayAdd(store.db, accountId);
  const verdict = await checkKey(domain, accountId, wanted, wanted.apiKey);
  if (verdict.status === 'invalid') throw keyRefused(speechProvider(provider), verdict.detail ?? '');
  const preset = newPreset(domain, accountId, wanted, verdict);
  await store.db.transaction().execute(async (trx) => {
    await assertMayAdd(trx, accountId);
    const disabled = enabled ? await disableVoiceConfig(trx, accountId, kind, clock.nowIso()) : undefined;
    await insertRow(trx, 'voiceConfigs', preset);
    const detail = { kind, provider, enabled, disabled, keyStatus: preset.keyStatus };
    await audit(trx, actor, { action: 'voice_config.create', subject: preset.id, detail });
  });
  return preset;
}

function newPreset(
  { store: { secrets }, clock }: SpeechDomain,
  accountId: string,
  { apiKey, name, ...wanted }: NewPreset,
  { status, detail }: KeyVerdict,
): StoredVoiceConfig {
  const id = randomUUID();
  const now = clock.nowIso();
  return {
    id,
    accountId,
    ...wanted,
    name: name ?? speechProvider(wanted.provider).title,
    sealedKey: apiKey && sealKey(secrets, id, apiKey),
    keyStatus: status,
    keyDetail: detail,
    checkedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
