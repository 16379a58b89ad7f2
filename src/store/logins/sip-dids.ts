import type { PresetIds } from '../../base/speech.ts';
import { changeRows, type Db, findRow, insertNewRow, listRows, type Row } from '../database/rows.ts';

type DidRow = Row<'sipDids'>;

export interface StoredDid extends Omit<DidRow, 'sttVoiceConfigId' | 'ttsVoiceConfigId'> {
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
  const { stt: sttVoiceConfigId, tts: ttsVoiceConfigId } = presets;
  return await insertNewRow(db, 'sipDids', { ...did, sttVoiceConfigId, ttsVoiceConfigId });
}

/** Undefined: the account has no such number. */
export async function updateDid(
  db: Db,
  accountId: string,
  didId: string,
  { label, autoAnswer, presets }: DidChange,
): Promise<StoredDid | undefined> {
  const changed = { label, autoAnswer, sttVoiceConfigId: presets?.stt, ttsVoiceConfigId: presets?.tts };
  await changeRows(db, 'sipDids', { accountId, id: didId }, changed);
  const row = await findRow(db, 'sipDids', { accountId, id: didId });
  return row && fromRow(row);
}

/** Returns the account's numbers in the order they were listed. */
export async function listDids(db: Db, accountId: string): Promise<StoredDid[]> {
  return (await listRows(db, 'sipDids', { accountId }, ['createdAt', 'id'])).map(fromRow);
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

function fromRow({ sttVoiceConfigId: stt, ttsVoiceConfigId: tts, ...did }: DidRow): StoredDid {
  return { ...did, presets: { stt, tts } };
}
