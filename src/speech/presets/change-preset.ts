import { GatewayError } from '../../base/errors.ts';
import type { Db } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import {
  disableVoiceConfig,
  openKey,
  type StoredVoiceConfig,
  sealKey,
  updateVoiceConfig,
} from '../../store/speech/voice-configs.ts';
import { mergeOptions, type OptionsChange } from '../options/options-schema.ts';
import type { KeyVerdict } from '../providers/ask-vendor.ts';
import { keyRefused, speechProvider } from '../providers/speech-providers.ts';
import type { SpeechDomain } from '../speech-domain.ts';
import { checkKey, requirePreset } from './presets.ts';

/** A change of a preset. What is left out stays. The options are valid for its provider and kind. */
export interface PresetChange {
  readonly name?: string | undefined;
  /** Null: the provider's default region. */
  readonly region?: string | null | undefined;
  readonly options?: OptionsChange | undefined;
  readonly apiKey?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * Changes a preset. Enabling it disables the account's other preset of the kind. A new key, a new region and enabling
 * have the provider asked first; a stored key that it refuses then is marked so, and nothing else changes. Throws
 * `voice_config_not_found`, TooManyAttempts, `voice_key_refused`, `voice_engine_missing`, `voice_provider_failed`,
 * `voice_config_changed`.
 */
export async function changePreset(
  domain: SpeechDomain,
  actor: Actor,
  id: string,
  change: PresetChange,
): Promise<StoredVoiceConfig> {
  const { store, clock } = domain;
  const { accountId } = actor;
  const former = await requirePreset(store.db, accountId, id);
  const verdict = needsCheck(former, change) ? await checkChanged(domain, former, change) : null;
  return await store.db.transaction().execute(async (trx) => {
    const current = await requireUnchanged(trx, former, verdict);
    const now = clock.nowIso();
    const next = { ...changed(domain, current, change), ...keyState(verdict, now), updatedAt: now };
    const other = change.enabled ? await disableVoiceConfig(trx, accountId, next.kind, now) : undefined;
    await updateVoiceConfig(trx, next);
    const detail = { ...changedNames(change), ...(other === id ? {} : { disabled: other }) };
    await audit(trx, actor, { action: 'voice_config.change', subject: id, detail });
    return next;
  });
}

function needsCheck(
  former: StoredVoiceConfig,
  { apiKey, enabled, region = former.region }: PresetChange,
): boolean {
  return apiKey !== undefined || enabled === true || region !== former.region;
}

async function checkChanged(
  domain: SpeechDomain,
  former: StoredVoiceConfig,
  { apiKey, region = former.region }: PresetChange,
): Promise<KeyVerdict> {
  const { store, clock } = domain;
  const { accountId, provider, kind } = former;
  const key = apiKey ?? openKey(store.secrets, former);
  const verdict = await checkKey(domain, accountId, { provider, kind, region }, key);
  if (verdict.status !== 'invalid') return verdict;
  if (apiKey === undefined && region === former.region) {
    await store.db.transaction().execute(async (trx) => {
      const current = await requireUnchanged(trx, former, verdict);
      const { status: keyStatus, detail: keyDetail } = verdict;
      await updateVoiceConfig(trx, { ...current, keyStatus, keyDetail, checkedAt: clock.nowIso() });
    });
  }
  throw keyRefused(speechProvider(provider), verdict.detail ?? '');
}

/** Returns the preset as it is now. Throws when a verdict is no longer about its key. */
async function requireUnchanged(
  db: Db,
  { accountId, id, sealedKey, region }: StoredVoiceConfig,
  verdict: KeyVerdict | null,
): Promise<StoredVoiceConfig> {
  const current = await requirePreset(db, accountId, id);
  if (verdict !== null && (current.sealedKey !== sealedKey || current.region !== region))
    throw new GatewayError('voice_config_changed');
  return current;
}

function changed(
  { store }: SpeechDomain,
  current: StoredVoiceConfig,
  { apiKey, options = {}, ...change }: PresetChange,
): StoredVoiceConfig {
  const { name = current.name, region = current.region, enabled = current.enabled } = change;
  return {
    ...current,
    name,
    region,
    enabled,
    options: mergeOptions(current.options, options),
    sealedKey: apiKey === undefined ? current.sealedKey : sealKey(store.secrets, current.id, apiKey),
  };
}

function keyState(verdict: KeyVerdict | null, checkedAt: string) {
  return verdict === null ? {} : { keyStatus: verdict.status, keyDetail: verdict.detail, checkedAt };
}

/** Returns what changed, for the audit log. Options may be private, so only their names. */
function changedNames({ name, region, options, apiKey, enabled }: PresetChange) {
  return { name, region, enabled, options: Object.keys(options ?? {}), newKey: apiKey !== undefined };
}
