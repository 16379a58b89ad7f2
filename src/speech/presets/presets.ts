import { randomUUID } from 'node:crypto';
import { assertBelow, CAPS } from '../../accounts/account/caps.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';
import { countRows, type Db, findRow, insertRow, takeRow } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { PresetOptions } from '../../store/speech/speech-tables.ts';
import { disableVoiceConfig, type StoredVoiceConfig, sealKey } from '../../store/speech/voice-configs.ts';
import { type KeyVerdict, keyVerdict } from '../providers/ask-vendor.ts';
import { askProvider, keyRefused, speechProvider, words } from '../providers/speech-providers.ts';
import type { SpeechDomain } from '../speech-domain.ts';

/** Returns a preset of the account. Throws `voice_config_not_found`. */
export async function requirePreset(db: Db, accountId: string, id: string): Promise<StoredVoiceConfig> {
  const preset = await findRow(db, 'voiceConfigs', { accountId, id });
  if (!preset) throw new GatewayError('voice_config_not_found');
  return preset;
}

/** Throws `email_not_verified` or `cap_reached`. */
export async function assertMayAdd(db: Db, accountId: string): Promise<void> {
  await requireVerifiedAddress(db, accountId);
  assertBelow(CAPS.voicePresets, await countRows(db, 'voiceConfigs', { accountId }), 'voice presets');
}

/** Deletes a preset and its key. Calls that have it keep it. Throws `voice_config_not_found`. */
export async function deletePreset({ store }: SpeechDomain, actor: Actor, id: string): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const preset = await takeRow(trx, 'voiceConfigs', { accountId: actor.accountId, id });
    if (!preset) throw new GatewayError('voice_config_not_found');
    const { kind, provider } = preset;
    await audit(trx, actor, { action: 'voice_config.delete', subject: id, detail: { kind, provider } });
  });
}

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
