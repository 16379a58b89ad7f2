import { sql } from 'kysely';
import type { SpeechKind } from '../../base/speech.ts';
import { changeRows, type Db, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

/** A voice preset. Its key stays sealed: `openKey`. */
export type StoredVoiceConfig = Row<'voiceConfigs'>;

const keyPlace = secretPlaces('voice_configs', 'sealed_key');

/** The condition of a partial index. */
const IS_ENABLED = sql<boolean>`enabled = 1`;

/** Replaces a preset of the same id. Does nothing if there is none. */
export async function updateVoiceConfig(db: Db, config: StoredVoiceConfig): Promise<void> {
  const { id, accountId, ...changed } = config;
  await changeRows(db, 'voiceConfigs', { accountId, id }, changed);
}

/** Returns the account's presets, oldest first. */
export async function listVoiceConfigs(db: Db, accountId: string): Promise<StoredVoiceConfig[]> {
  return await db
    .selectFrom('voiceConfigs')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy(sql`rowid`)
    .execute();
}

/** Returns the account's enabled presets: at most one of each kind. */
export async function findEnabledVoiceConfigs(db: Db, accountId: string): Promise<StoredVoiceConfig[]> {
  return await db
    .selectFrom('voiceConfigs')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(IS_ENABLED)
    .execute();
}

/** Disables the account's enabled preset of a kind. Returns its id; undefined if there was none. */
export async function disableVoiceConfig(
  db: Db,
  accountId: string,
  kind: SpeechKind,
  updatedAt: string,
): Promise<string | undefined> {
  const row = await db
    .updateTable('voiceConfigs')
    .set({ enabled: false, updatedAt })
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where(IS_ENABLED)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Seals a provider's key for the preset with this id. */
export function sealKey(secrets: SecretBox, id: string, key: string): string {
  return secrets.seal(key, keyPlace(id));
}

/** Returns a preset's key in plain text, for requests to its provider only; null if it needs none. */
export function openKey(
  secrets: SecretBox,
  { id, sealedKey }: Pick<StoredVoiceConfig, 'id' | 'sealedKey'>,
): string | null {
  return sealedKey && secrets.open(sealedKey, keyPlace(id));
}
