import { type Insertable, sql } from 'kysely';
import { changeRows, type Db, insertRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';
import type { FilesTable } from './message-tables.ts';

/** A file without its secrets. Its token is stored sealed, for listing only. */
export type StoredFile = Omit<Row<'files'>, 'tokenHash' | 'sealedToken' | 'slotHash'>;

const tokenPlace = secretPlaces('files', 'sealed_token');

/** `token` is the secret in the file's URL. */
export async function insertFile(
  db: Db,
  secrets: SecretBox,
  { token, ...file }: Omit<Insertable<FilesTable>, 'sealedToken'> & { readonly token: string },
): Promise<void> {
  await insertRow(db, 'files', { ...file, sealedToken: secrets.seal(token, tokenPlace(file.id)) });
}

/** Returns the token in a file's URL. */
export function tokenOf(
  secrets: SecretBox,
  { id, sealedToken }: Pick<Row<'files'>, 'id' | 'sealedToken'>,
): string {
  return secrets.open(sealedToken, tokenPlace(id));
}

/** Returns the file that waits for its bytes in a slot that is still open. */
export async function findFileBySlot(
  db: Db,
  slotHash: string,
  nowIso: string,
): Promise<StoredFile | undefined> {
  return await db
    .selectFrom('files')
    .selectAll()
    .where('slotHash', '=', slotHash)
    .where('state', '=', 'reserved')
    .where('slotExpiresAt', '>', nowIso)
    .executeTakeFirst();
}

/**
 * Stores a reserved file's data and uses up its slot. Returns false if another upload did so first or the file is gone.
 */
export async function fillSlot(
  db: Db,
  id: string,
  filled: Pick<StoredFile, 'mime' | 'sizeBytes' | 'expiresAt'>,
): Promise<boolean> {
  const stored = { ...filled, state: 'stored', slotHash: null, slotExpiresAt: null } as const;
  return await changeRows(db, 'files', { id, state: 'reserved' }, stored);
}

/**
 * Marks a platform's file as no longer cached. Returns false if it was not, or was fetched again since this was read.
 */
export async function setCold(
  db: Db,
  { id, cachedUntil }: Pick<StoredFile, 'id' | 'cachedUntil'>,
): Promise<boolean> {
  if (cachedUntil === null) return false;
  return await changeRows(db, 'files', { id, cachedUntil }, { cachedUntil: null });
}

/** Marks a file's bytes as lost. The file stays listed until `expiresAt`. */
export async function setGone(db: Db, id: string, expiresAt: string): Promise<void> {
  const gone = { state: 'gone', cachedUntil: null, slotHash: null, expiresAt } as const;
  await changeRows(db, 'files', { id }, gone);
}

/** Returns up to `limit` of an account's files. */
export async function someFilesOf(db: Db, accountId: string, limit: number): Promise<StoredFile[]> {
  return await db.selectFrom('files').selectAll().where('accountId', '=', accountId).limit(limit).execute();
}

/** Returns up to `limit` platform files whose cache time is over. */
export async function coldFiles(db: Db, nowIso: string, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .selectAll()
    .where('cachedUntil', '<=', nowIso)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** Returns up to `limit` cached platform files, the oldest first. */
export async function cachedFiles(db: Db, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .selectAll()
    .where('cachedUntil', 'is not', null)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** A file, and whether a message lists it. */
export interface ListedFile extends StoredFile {
  readonly isAttached: boolean;
}

const IS_ATTACHED = sql<boolean>`exists (select 1 from attachments where attachments.file_id = files.id)`.as(
  'isAttached',
);

/** Returns up to `limit` files whose bytes should be on disk and that are from before a time, by their ids. */
export async function filesWithBytes(
  db: Db,
  { afterId, before, limit }: { readonly afterId: string; readonly before: string; readonly limit: number },
): Promise<ListedFile[]> {
  return await db
    .selectFrom('files')
    .selectAll()
    .select(IS_ATTACHED)
    .where('id', '>', afterId)
    .where('createdAt', '<', before)
    .where(({ or, eb }) => or([eb('state', '=', 'stored'), eb('cachedUntil', 'is not', null)]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns up to `limit` expired files, except those that an outgoing message still needs. */
export async function expiredFiles(db: Db, nowIso: string, limit: number): Promise<ListedFile[]> {
  return await db
    .selectFrom('files')
    .selectAll()
    .select(IS_ATTACHED)
    .where('expiresAt', '<=', nowIso)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attachments')
            .innerJoin('messages', 'messages.seq', 'attachments.messageSeq')
            .select('messages.seq')
            .whereRef('attachments.fileId', '=', 'files.id')
            .where('messages.status', 'in', ['sending', 'pending']),
        ),
      ),
    )
    .orderBy('expiresAt')
    .limit(limit)
    .execute();
}

/** Returns those of these ids whose bytes should be on disk. */
export async function idsWithBytes(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('files')
    .select('id')
    .where('id', 'in', ids)
    .where(({ or, eb }) => or([eb('state', '=', 'stored'), eb('cachedUntil', 'is not', null)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the bytes on disk: uploads by account, and cached platform files under null. */
export async function storedBytes(db: Db): Promise<{ accountId: string | null; bytes: number }[]> {
  return await db
    .selectFrom('files')
    .select([
      sql<string | null>`iif(state = 'stored', account_id, null)`.as('accountId'),
      sql<number>`coalesce(sum(size_bytes), 0)`.as('bytes'),
    ])
    .where(({ or, eb }) => or([eb('state', '=', 'stored'), eb('cachedUntil', 'is not', null)]))
    .groupBy(sql`1`)
    .execute();
}

/** Returns the files of messages in order, by the messages' `seq`. Messages without files have no entry. */
export async function listAttachments(
  db: Db,
  messageSeqs: readonly number[],
): Promise<Map<number, Row<'files'>[]>> {
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .selectAll('files')
    .select('messageSeq')
    .where('messageSeq', 'in', messageSeqs)
    .orderBy('messageSeq')
    .orderBy('position')
    .execute();
  return Map.groupBy(rows, ({ messageSeq }) => messageSeq);
}

/** Returns the files of one message, in order. */
export async function filesOfMessage(db: Db, messageSeq: number): Promise<StoredFile[]> {
  return (await listAttachments(db, [messageSeq])).get(messageSeq) ?? [];
}
