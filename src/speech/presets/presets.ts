import { assertBelow, CAPS } from '../../accounts/account/caps.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { GatewayError } from '../../base/errors.ts';
import { countRows, type Db, findRow, takeRow } from '../../store/database/rows.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { StoredVoiceConfig } from '../../store/speech/voice-configs.ts';
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
