import type { Selectable } from 'kysely';
import type { PresetIds } from '../../base/speech.ts';
import { bit } from '../database/column-types.ts';
import type { Db } from '../database/tables.ts';
import type { SipDidsTable } from './login-tables.ts';

type DidRow = Selectable<SipDidsTable>;

export interface StoredDid extends Omit<DidRow, 'autoAnswer' | 'sttVoiceConfigId' | 'ttsVoiceConfigId'> {
  readonly autoAnswer: boolean;
  readonly presets: PresetIds;
}

/** A number with the agent that takes its calls. */
export interface RoutedDid extends StoredDid {
  readonly agentId: string;
}

/** A client's change to a listed number. */
export interface DidChange {
  readonly label?: string | null;
  readonly autoAnswer?: boolean;
  readonly presets?: Partial<PresetIds>;
}

/** Returns false if the account already lists the number. */
export async function insertDid(db: Db, { presets, ...did }: StoredDid): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('sipDids')
    .values({
      ...did,
      autoAnswer: bit(did.autoAnswer),
      sttVoiceConfigId: presets.stt,
      ttsVoiceConfigId: presets.tts,
    })
    .onConflict((conflict) => conflict.columns(['accountId', 'number']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Undefined: the account has no such number. */
export async function updateDid(
  db: Db,
  accountId: string,
  didId: string,
  change: DidChange,
): Promise<StoredDid | undefined> {
  const row = await db
    .updateTable('sipDids')
    .set({
      // Setting a column to itself keeps its value, so the SQL is the same for every change.
      label: (set) => (change.label === undefined ? set.ref('label') : set.val(change.label)),
      autoAnswer: (set) =>
        change.autoAnswer === undefined ? set.ref('autoAnswer') : set.val(bit(change.autoAnswer)),
      sttVoiceConfigId: (set) =>
        change.presets?.stt === undefined ? set.ref('sttVoiceConfigId') : set.val(change.presets.stt),
      ttsVoiceConfigId: (set) =>
        change.presets?.tts === undefined ? set.ref('ttsVoiceConfigId') : set.val(change.presets.tts),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', didId)
    .returningAll()
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Returns false if the account has no such number. */
export async function deleteDid(db: Db, accountId: string, didId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sipDids')
    .where('accountId', '=', accountId)
    .where('id', '=', didId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the account's numbers in the order they were listed. */
export async function listDids(db: Db, accountId: string): Promise<StoredDid[]> {
  const rows = await db
    .selectFrom('sipDids')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

/** Returns numbers with their agent, of one account or of all. For several agents, the default one. */
export async function listRoutedDids(db: Db, accountId?: string): Promise<RoutedDid[]> {
  const all = routes(db);
  const rows = await (accountId === undefined
    ? all
    : all.where('sipDids.accountId', '=', accountId)
  ).execute();
  // The last route of a number wins.
  const byId = new Map(rows.map((row) => [row.id, { ...fromRow(row), agentId: row.agentId }]));
  return [...byId.values()];
}

export async function findRoutedDid(db: Db, didId: string): Promise<RoutedDid | undefined> {
  const rows = await routes(db).where('sipDids.id', '=', didId).execute();
  const row = rows.at(-1);
  return row && { ...fromRow(row), agentId: row.agentId };
}

/** The cross join prevents SQLite from starting with the members of the whole gateway, which it assumes to be few. */
function routes(db: Db) {
  return db
    .selectFrom('sipDids')
    .crossJoin('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .whereRef('agentAccounts.memberId', '=', 'sipDids.id')
    .where('agentAccounts.memberType', '=', 'sip_number')
    .selectAll('sipDids')
    .select('agents.id as agentId')
    .orderBy('agents.isDefault')
    .orderBy('agents.createdAt', 'desc');
}

function fromRow(row: DidRow): StoredDid {
  const { id, accountId, number, label, createdAt } = row;
  const presets = { stt: row.sttVoiceConfigId, tts: row.ttsVoiceConfigId };
  return { id, accountId, number, label, autoAnswer: row.autoAnswer === 1, presets, createdAt };
}
