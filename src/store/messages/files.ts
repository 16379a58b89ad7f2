import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { FilesTable } from './message-tables.ts';

/** A file as the domain sees it; its token is sealed, for listing only. */
export type StoredFile = Omit<Selectable<FilesTable>, 'tokenHash' | 'sealedToken' | 'slotHash'>;

/** `token` is the secret in the file's URL. */
export type NewFile = Omit<Insertable<FilesTable>, 'sealedToken'> & { readonly token: string };

/** A file as a message shows it. */
export interface StoredAttachment {
  readonly fileId: string;
  readonly name: string;
  readonly mime: string;
  /** Null: nobody has said, and it was never fetched. */
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

/** The file that waits for its bytes in a slot which is still open. */
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

/** The secret in a file's URL, of one that is there. */
export async function tokenOf(db: Db, secrets: SecretBox, id: string): Promise<string> {
  const row = await db
    .selectFrom('files')
    .select('sealedToken')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return secrets.open(row.sealedToken, tokenPlace(id));
}

/** The bytes of a reserved file have come; its slot is used up. False: somebody else's had, or the file is gone. */
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

/** A platform's file lies on disk until then. False: the file is gone meanwhile. */
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

/** A platform's file lies on disk no longer. False: it did not, or was fetched anew since this was read. */
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

/** Nobody has its bytes any more; it is shown until `expiresAt`. */
export async function setGone(db: Db, id: string, expiresAt: string): Promise<void> {
  await db
    .updateTable('files')
    .set({ state: 'gone', cachedUntil: null, slotHash: null, expiresAt })
    .where('id', '=', id)
    .execute();
}

/** False: it was gone already. */
export async function deleteFile(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('files').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Up to `limit` of an account's files. */
export async function someFilesOf(db: Db, accountId: string, limit: number): Promise<StoredFile[]> {
  return await db.selectFrom('files').select(SHOWN).where('accountId', '=', accountId).limit(limit).execute();
}

/** Up to `limit` of the platforms' files that have lain on disk long enough. */
export async function coldFiles(db: Db, nowIso: string, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('cachedUntil', '<=', nowIso)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** Up to `limit` of the platforms' files that lie on disk, those first that have lain there longest. */
export async function cachedFiles(db: Db, limit: number): Promise<StoredFile[]> {
  return await db
    .selectFrom('files')
    .select(SHOWN)
    .where('cachedUntil', 'is not', null)
    .orderBy('cachedUntil')
    .limit(limit)
    .execute();
}

/** A file whose time is over, and whether a message shows it. */
export interface ExpiredFile extends StoredFile {
  readonly isAttached: 0 | 1;
}

/** Up to `limit` files whose time is over, without those that a message on its way out still needs. */
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

/** Of these ids, those whose bytes should be on disk. */
export async function idsWithBytes(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('files')
    .select('id')
    .where('id', 'in', ids)
    .where(({ or, eb }) => or([eb('state', '=', 'stored'), eb('cachedUntil', 'is not', null)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** What lies on disk: by account what it uploaded, under null what platforms can give again. */
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

/** The files of messages, in order, by the messages' `seq`; messages without files have no entry. */
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

/** The files of one message, in order. */
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
