import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { IdempotentRequestsTable } from './key-tables.ts';

/** Identifies a request by its idempotency key. Keys are scoped to a credential. */
export interface RequestRef {
  readonly accountId: string;
  readonly credentialId: string;
  readonly key: string;
}

/** An earlier request with an idempotency key. */
export interface StoredRequest {
  /** Distinguishes it from any other request. */
  readonly fingerprint: string;
  /** Null: there is no answer yet, or there never will be. */
  readonly status: number | null;
  readonly answer: string | null;
  readonly createdAt: string;
}

export async function findRequest(
  db: Db,
  secrets: SecretBox,
  ref: RequestRef,
): Promise<StoredRequest | undefined> {
  const row = await db
    .selectFrom('idempotentRequests')
    .selectAll()
    .where('credentialId', '=', ref.credentialId)
    .where('key', '=', ref.key)
    .executeTakeFirst();
  return row && fromRow(row, secrets);
}

interface RequestStart {
  readonly fingerprint: string;
  readonly nowIso: string;
}

/** Records the start of a request. Replaces an older one with the same key. */
export async function beginRequest(
  db: Db,
  secrets: SecretBox,
  ref: RequestRef,
  { fingerprint, nowIso }: RequestStart,
): Promise<void> {
  const begun = {
    accountId: ref.accountId,
    sealedRequest: secrets.seal(fingerprint, place('sealed_request', ref)),
    subject: null,
    status: null,
    sealedAnswer: null,
    createdAt: nowIso,
  };
  await db
    .insertInto('idempotentRequests')
    .values({ ...begun, credentialId: ref.credentialId, key: ref.key })
    .onConflict((conflict) => conflict.columns(['credentialId', 'key']).doUpdateSet(begun))
    .execute();
}

interface RequestEnd {
  readonly status: number;
  readonly answer: string;
}

/** Stores the answer for repeated requests. */
export async function finishRequest(
  db: Db,
  secrets: SecretBox,
  ref: RequestRef,
  { status, answer }: RequestEnd,
): Promise<void> {
  await db
    .updateTable('idempotentRequests')
    .set({ status, sealedAnswer: secrets.seal(answer, place('sealed_answer', ref)) })
    .where('credentialId', '=', ref.credentialId)
    .where('key', '=', ref.key)
    .execute();
}

/** Removes a request that did nothing, which frees the key. */
export async function forgetRequest(db: Db, ref: RequestRef): Promise<void> {
  await db
    .deleteFrom('idempotentRequests')
    .where('credentialId', '=', ref.credentialId)
    .where('key', '=', ref.key)
    .execute();
}

/**
 * Records what a request has created, in the transaction that creates it. After a crash the repeated request finds it.
 */
export async function noteSubject(db: Db, ref: RequestRef, subject: string): Promise<void> {
  await db
    .updateTable('idempotentRequests')
    .set({ subject })
    .where('credentialId', '=', ref.credentialId)
    .where('key', '=', ref.key)
    .execute();
}

/** Returns what an earlier attempt of the request created. Null: nothing. */
export async function subjectOf(db: Db, ref: RequestRef): Promise<string | null> {
  const row = await db
    .selectFrom('idempotentRequests')
    .select('subject')
    .where('credentialId', '=', ref.credentialId)
    .where('key', '=', ref.key)
    .executeTakeFirst();
  return row?.subject ?? null;
}

/** Deletes up to `limit` requests from before a time. Returns their number. */
export async function deleteOldRequests(db: Db, before: string, limit: number): Promise<number> {
  return await deleteSome(db, 'idempotent_requests', sql`created_at < ${before}`, limit);
}

function fromRow(row: Selectable<IdempotentRequestsTable>, secrets: SecretBox): StoredRequest {
  return {
    fingerprint: secrets.open(row.sealedRequest, place('sealed_request', row)),
    status: row.status,
    answer: row.sealedAnswer === null ? null : secrets.open(row.sealedAnswer, place('sealed_answer', row)),
    createdAt: row.createdAt,
  };
}

function place(column: string, { credentialId, key }: Pick<RequestRef, 'credentialId' | 'key'>): SecretPlace {
  return { table: 'idempotent_requests', column, row: `${credentialId} ${key}` };
}
