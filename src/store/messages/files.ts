import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { FilesTable } from './message-tables.ts';

/** A file without its secrets. Its token is stored sealed, for listing only. */
export type StoredFile = Omit<Selectable<FilesTable>, 'tokenHash' | 'sealedToken' | 'slotHash'>;

/** `token` is the secret in the file's URL. */
export type NewFile = Omit<Insertable<FilesTable>, 'sealedToken'> & { readonly token: string };

/** A file as listed in a message. */
export interface StoredAttachment {
  readonly fileId: string;
  readonly name: string;
  readonly mime: string;
  /** Null: unknown, because the platform did not report it and the file was never fetched. */
  readonly sizeBytes: number | null;
  readonly token: string;
}

const SHOWN = [
  'id',
  'accountId',
  'origin',
  'name',
  'mime',
  'sizeBytes',
  'state',
  'slotExpiresAt',
  'platform',
  'loginKey',
  'remoteRef',
  'createdAt',
  'cachedUntil',
  'expiresAt',
] as const;

export async function insertFile(db: Db, secrets: SecretBox, { token, ...file }: NewFile): Promise<void> {
  const sealedToken = secrets.seal(token, tokenPlace(file.id));
  await db
    .insertInto('files')
    .values({ ...file, sealedToken })
    .execute();
}

export async function findFileByToken(db: Db, tokenHash: string): Promise<StoredFile | undefined> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('tokenHash', '=', tokenHash)
    .where('state', '!=', 'reserved')
    .executeTakeFirst();
}

/** Returns the file that waits for its bytes in a slot that is still open. */
export async function findFileBySlot(
  db: Db,
  slotHash: string,
  nowIso: string,
): Promise<StoredFile | undefined> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('slotHash', '=', slotHash)
    .where('state', '=', 'reserved')
    .where('slotExpiresAt', '>', nowIso)
    .executeTakeFirst();
}

export async function findFile(db: Db, id: string): Promise<StoredFile | undefined> {
  return await db.selectFrom('files').select(SHOWN).where('id', '=', id).executeTakeFirst();
}

/** Returns the token in an existing file's URL. */
export async function tokenOf(db: Db, secrets: SecretBox, id: string): Promise<string> {
  const row = await db
    .selectFrom('files')
    .select('sealedToken')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return secrets.open(row.sealedToken, tokenPlace(id));
}

/**
 * Stores a reserved file's data and uses up its slot. Returns false if another upload did so first or the file is gone.
 */
export async function fillSlot(
  db: Db,
  id: string,
  filled: Pick<StoredFile, 'mime' | 'sizeBytes' | 'expiresAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ ...filled, state: 'stored', slotHash: null, slotExpiresAt: null })
    .where('id', '=', id)
    .where('state', '=', 'reserved')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a platform's file as cached on disk until `cachedUntil`. Returns false if the file is gone meanwhile. */
export async function setCached(
  db: Db,
  id: string,
  cache: Pick<StoredFile, 'sizeBytes' | 'cachedUntil'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set(cache)
    .where('id', '=', id)
    .where('state', '=', 'remote')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Marks a platform's file as no longer cached. Returns false if it was not, or was fetched again since this was read.
 */
export async function setCold(
  db: Db,
  { id, cachedUntil }: Pick<StoredFile, 'id' | 'cachedUntil'>,
): Promise<boolean> {
  if (cachedUntil === null) return false;
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ cachedUntil: null })
    .where('id', '=', id)
    .where('cachedUntil', '=', cachedUntil)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a file's bytes as lost. The file stays listed until `expiresAt`. */
export async function setGone(db: Db, id: string, expiresAt: string): Promise<void> {
  await db
    .updateTable('files')
    .set({ state: 'gone', cachedUntil: null, slotHash: null, expiresAt })
    .where('id', '=', id)
    .execute();
}

/** Returns false if it was already gone. */
export async function deleteFile(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('files').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns up to `limit` of an account's files. */
export async function someFilesOf(db: Db, accountId: string, limit: number): Promise<StoredFile[]> {
  return await db.selectFrom('files').select(SHOWN).where('accountId', '=', accountId).limit(limit).execute();
}

/** Returns up to `limit` platform files whose cache time is over. */
export async function coldFiles(db: Db, nowIso: string, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('cachedUntil', '<=', nowIso)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** Returns up to `limit` cached platform files, the oldest first. */
export async function cachedFiles(db: Db, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('cachedUntil', 'is not', null)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** An expired file, and whether a message lists it. */
export interface ExpiredFile extends StoredFile {
  readonly isAttached: 0 | 1;
}

/** Returns up to `limit` expired files, except those that an outgoing message still needs. */
export async function expiredFiles(db: Db, nowIso: string, limit: number): Promise<ExpiredFile[]> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .select(
      sql<0 | 1>`exists (select 1 from attachments where attachments.file_id = files.id)`.as('isAttached'),
    )
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
  secrets: SecretBox,
  messageSeqs: readonly number[],
): Promise<Map<number, StoredAttachment[]>> {
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .select(['messageSeq', 'fileId', 'name', 'mime', 'sizeBytes', 'sealedToken'])
    .where('messageSeq', 'in', messageSeqs)
    .orderBy('messageSeq')
    .orderBy('position')
    .execute();
  const shown = rows.map(({ messageSeq, sealedToken, ...file }) => ({
    messageSeq,
    attachment: { ...file, token: secrets.open(sealedToken, tokenPlace(file.fileId)) },
  }));
  const byMessage = Map.groupBy(shown, ({ messageSeq }) => messageSeq);
  return new Map([...byMessage].map(([seq, all]) => [seq, all.map(({ attachment }) => attachment)]));
}

/** Returns those of these files that still exist, by id. */
export async function listFiles(
  db: Db,
  secrets: SecretBox,
  ids: readonly string[],
): Promise<Map<string, StoredAttachment>> {
  const rows = await db
    .selectFrom('files')
    .select(['id', 'name', 'mime', 'sizeBytes', 'sealedToken'])
    .where('id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ id: fileId, sealedToken, ...file }) => [
      fileId,
      { fileId, ...file, token: secrets.open(sealedToken, tokenPlace(fileId)) },
    ]),
  );
}

/** Returns the files of one message, in order. */
export async function filesOfMessage(db: Db, messageSeq: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .select(SHOWN)
    .where('messageSeq', '=', messageSeq)
    .orderBy('position')
    .execute();
}

function tokenPlace(fileId: string): SecretPlace {
  return { table: 'files', column: 'sealed_token', row: fileId };
}
