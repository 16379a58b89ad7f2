import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { systemClock } from '../../base/time.ts';
import type { Db } from '../database/tables.ts';
import type { AuditLogTable } from './people-tables.ts';

/** Who changed something: every principal is one. `none` is for changes that a link from a mail allows. */
export interface Actor {
  readonly accountId: string;
  readonly kind: AuditLogTable['credentialKind'];
  /** Id of the key or the session; '' where the kind is `none`. */
  readonly credentialId: string;
}

/** Nobody is signed in: whoever signs up, or follows a link from a mail. */
export function nobodyOf(accountId: string): Actor {
  return { accountId, kind: 'none', credentialId: '' };
}

/** What was done, as noun and verb: `agent.create`, `key.revoke`. */
export type AuditAction = `${string}.${string}`;

/** What changed, for people. Never a secret. */
export type AuditDetail = Readonly<Record<string, unknown>>;

interface AuditEntry {
  readonly action: AuditAction;
  readonly subject: string | null;
  readonly detail?: AuditDetail;
  readonly createdAt?: string;
}

/**
 * Writes down a change. Run it in the transaction that makes the change, so that neither stays without the other.
 * `subject` is the id of what was changed, null for the account itself.
 */
export async function audit(
  db: Db,
  actor: Actor,
  { action, subject, detail = {}, createdAt = systemClock.nowIso() }: AuditEntry,
): Promise<void> {
  const { accountId, kind, credentialId } = actor;
  await db
    .insertInto('auditLog')
    .values({
      accountId,
      credentialKind: kind,
      credentialId,
      action,
      subject,
      detail: JSON.stringify(detail),
      createdAt,
    })
    .execute();
}

interface AuditLine {
  readonly action: AuditAction;
  readonly detail: AuditDetail;
  readonly createdAt: string;
}

/** Writes a line that nobody signed in stands behind, and returns its id. `accountId` null: it belongs to no account. */
export async function insertAuditLine(
  db: Db,
  accountId: string | null,
  { action, detail, createdAt }: AuditLine,
): Promise<number> {
  const { id } = await db
    .insertInto('auditLog')
    .values({
      accountId,
      credentialKind: 'none',
      credentialId: '',
      action,
      subject: null,
      detail: JSON.stringify(detail),
      createdAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** For a line that counts. */
export async function updateAuditDetail(db: Db, id: number, detail: AuditDetail): Promise<void> {
  await db
    .updateTable('auditLog')
    .set({ detail: JSON.stringify(detail) })
    .where('id', '=', id)
    .execute();
}

/** What stays of an account that is gone: its id, which was random, as a hash, and what it had in numbers. */
export async function auditDeletion(
  db: Db,
  accountId: string,
  counts: Readonly<Record<string, number>>,
  createdAt: string,
): Promise<void> {
  const account = hash('sha256', accountId, 'hex');
  await insertAuditLine(db, null, { action: 'account.delete', detail: { account, ...counts }, createdAt });
}

/** Deletes up to `limit` lines of wrong passwords from before a time; returns how many. */
export async function deleteOldestFailedPasswords(db: Db, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where action = 'password.fail' and created_at < ${before} limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}
