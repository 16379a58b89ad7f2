import { sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import { changeRows, type Db, deleteRows, findRow, putRow } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

const requestPlace = secretPlaces('idempotent_requests', 'sealed_request');
const answerPlace = secretPlaces('idempotent_requests', 'sealed_answer');

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
  const row = await findRow(db, 'idempotentRequests', keyOf(ref));
  if (!row) return undefined;
  const { status, createdAt, sealedRequest, sealedAnswer } = row;
  const fingerprint = secrets.open(sealedRequest, requestPlace(rowOf(ref)));
  const answer = sealedAnswer && secrets.open(sealedAnswer, answerPlace(rowOf(ref)));
  return { fingerprint, status, answer, createdAt };
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
    ...keyOf(ref),
    accountId: ref.accountId,
    sealedRequest: secrets.seal(fingerprint, requestPlace(rowOf(ref))),
    subject: null,
    status: null,
    sealedAnswer: null,
    createdAt: nowIso,
  };
  await putRow(db, 'idempotentRequests', begun, { key: ['credentialId', 'key'] });
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
  const sealedAnswer = secrets.seal(answer, answerPlace(rowOf(ref)));
  await changeRows(db, 'idempotentRequests', keyOf(ref), { status, sealedAnswer });
}

/** Removes a request that did nothing, which frees the key. */
export async function forgetRequest(db: Db, ref: RequestRef): Promise<void> {
  await deleteRows(db, 'idempotentRequests', keyOf(ref));
}

/**
 * Records what a request has created, in the transaction that creates it. After a crash the repeated request finds it.
 */
export async function noteSubject(db: Db, ref: RequestRef, subject: string): Promise<void> {
  await changeRows(db, 'idempotentRequests', keyOf(ref), { subject });
}

/** Returns what an earlier attempt of the request created. Null: nothing. */
export async function subjectOf(db: Db, ref: RequestRef): Promise<string | null> {
  return (await findRow(db, 'idempotentRequests', keyOf(ref)))?.subject ?? null;
}

/** Deletes up to `limit` requests from before a time. Returns their number. */
export async function deleteOldRequests(db: Db, before: string, limit: number): Promise<number> {
  return await deleteSome(db, 'idempotent_requests', sql`created_at < ${before}`, limit);
}

function keyOf({ credentialId, key }: RequestRef): Pick<RequestRef, 'credentialId' | 'key'> {
  return { credentialId, key };
}

function rowOf({ credentialId, key }: RequestRef): string {
  return `${credentialId} ${key}`;
}
