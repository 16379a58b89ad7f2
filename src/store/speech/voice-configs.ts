import { type Selectable, sql } from 'kysely';
import type { SpeechKind } from '../../base/speech.ts';
import { bit } from '../database/column-types.ts';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { VoiceConfigsTable } from './speech-tables.ts';

/** The value of an option of a preset. */
export type OptionValue = string | number | boolean | readonly string[];
export type PresetOptions = Readonly<Record<string, OptionValue>>;

/** A voice preset. Its key stays sealed: `openKey`. */
export interface StoredVoiceConfig extends Omit<Selectable<VoiceConfigsTable>, 'options' | 'enabled'> {
  readonly options: PresetOptions;
  readonly enabled: boolean;
}

export async function insertVoiceConfig(db: Db, config: StoredVoiceConfig): Promise<void> {
  await db.insertInto('voiceConfigs').values(toRow(config)).execute();
}

/** Replaces a preset of the same id. Does nothing if there is none. */
export async function updateVoiceConfig(db: Db, config: StoredVoiceConfig): Promise<void> {
  const { id, accountId, ...changed } = toRow(config);
  await db
    .updateTable('voiceConfigs')
    .set(changed)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Undefined: the account has no such preset. */
export async function findVoiceConfig(
  db: Db,
  accountId: string,
  id: string,
): Promise<StoredVoiceConfig | undefined> {
  const row = await db
    .selectFrom('voiceConfigs')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Returns the account's presets, oldest first. */
export async function listVoiceConfigs(db: Db, accountId: string): Promise<StoredVoiceConfig[]> {
  const rows = await db
    .selectFrom('voiceConfigs')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy(sql`rowid`)
    .execute();
  return rows.map(fromRow);
}

/** Returns the account's enabled presets: at most one of each kind. */
export async function findEnabledVoiceConfigs(db: Db, accountId: string): Promise<StoredVoiceConfig[]> {
  const rows = await db
    .selectFrom('voiceConfigs')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('enabled', '=', sql.lit(1))
    .execute();
  return rows.map(fromRow);
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
    .set({ enabled: 0, updatedAt })
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where('enabled', '=', sql.lit(1))
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Returns the deleted preset; undefined if the account has no such preset. */
export async function deleteVoiceConfig(
  db: Db,
  accountId: string,
  id: string,
): Promise<StoredVoiceConfig | undefined> {
  const row = await db
    .deleteFrom('voiceConfigs')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row && fromRow(row);
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
  return sealedKey === null ? null : secrets.open(sealedKey, keyPlace(id));
}

function toRow({ options, enabled, ...plain }: StoredVoiceConfig): Selectable<VoiceConfigsTable> {
  return { ...plain, options: JSON.stringify(options), enabled: bit(enabled) };
}

function fromRow({ options, enabled, ...plain }: Selectable<VoiceConfigsTable>): StoredVoiceConfig {
  return { ...plain, options: JSON.parse(options), enabled: enabled === 1 };
}

function keyPlace(id: string): SecretPlace {
  return { table: 'voice_configs', column: 'sealed_key', row: id };
}
