import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { systemClock } from '../../base/time.ts';
import { deleteSome } from '../database/delete-some.ts';
import { type Db, findRow, insertReturning, insertRow, type Row } from '../database/rows.ts';
import type { AuditLogTable } from './people-tables.ts';

/** The credential that made a change. `none` is for changes through a link from an email. */
export interface Actor {
  readonly accountId: string;
  readonly kind: AuditLogTable['credentialKind'];
  /** Id of the key or session. '' if the kind is `none`. */
  readonly credentialId: string;
}

/** Actor for changes without a sign-in: sign-up, or a link from an email. */
export function unauthenticatedActor(accountId: string): Actor {
  return { accountId, kind: 'none', credentialId: '' };
}

/** An action as noun and verb: `agent.create`, `key.revoke`. */
export type AuditAction = `${string}.${string}`;

/** What changed, for people. Never contains a secret. */
export type AuditDetail = Readonly<Record<string, unknown>>;

interface AuditEntry {
  readonly action: AuditAction;
  /** Id of the changed object. Null, the default: the account itself. */
  readonly subject?: string | null;
  readonly detail?: AuditDetail;
}

/**
 * Records a change. Call it in the transaction that makes the change, so that both are stored or neither.
 */
export async function audit(
  db: Db,
  { accountId, kind: credentialKind, credentialId }: Actor,
  { action, subject = null, detail = {} }: AuditEntry,
): Promise<void> {
  const createdAt = systemClock.nowIso();
  const line = { accountId, credentialKind, credentialId, action, subject, detail, createdAt };
  await insertRow(db, 'auditLog', line);
}

/** A line of an account's audit log. `id` counts up. */
export type AuditRow = Row<'auditLog'>;

/** Returns lines of an account, newest first, from before `beforeId` if given. */
export async function auditLines(
  db: Db,
  accountId: string,
  { beforeId, limit }: { readonly beforeId: number | null; readonly limit: number },
): Promise<AuditRow[]> {
  const lines = db.selectFrom('auditLog').selectAll().where('accountId', '=', accountId);
  const wanted = beforeId === null ? lines : lines.where('id', '<', beforeId);
  return await wanted.orderBy('id', 'desc').limit(limit).execute();
}

export async function hasAuditLine(db: Db, accountId: string, action: AuditAction): Promise<boolean> {
  return (await findRow(db, 'auditLog', { accountId, action })) !== undefined;
}

interface AuditLine {
  readonly action: AuditAction;
  readonly detail: AuditDetail;
  readonly createdAt: string;
}

/** Inserts a line without a signed-in actor and returns its id. `accountId` null: it belongs to no account. */
export async function insertAuditLine(db: Db, accountId: string | null, line: AuditLine): Promise<number> {
  const nobody = { credentialKind: 'none', credentialId: '', subject: null } as const;
  return (await insertReturning(db, 'auditLog', { accountId, ...nobody, ...line })).id;
}

/** Records a deleted account: its id, which was random, as a hash, and the numbers of its rows. */
export async function auditDeletion(
  db: Db,
  accountId: string,
  counts: Readonly<Record<string, number>>,
  createdAt: string,
): Promise<void> {
  const account = hash('sha256', accountId, 'hex');
  await insertAuditLine(db, null, { action: 'account.delete', detail: { account, ...counts }, createdAt });
}

/**
 * Deletes up to `limit` lines about wrong passwords, and about right and wrong keys of the platform bridge, from before
 * a time. Returns their number. Strangers cause such lines, or time alone does; all others are kept.
 */
export async function deleteOldestAttempts(db: Db, before: string, limit: number): Promise<number> {
  // As in the index: otherwise SQLite would not use it.
  const attempts = sql.raw("action in ('password.fail', 'bridge_key.fail', 'bridge_key.use')");
  return await deleteSome(db, 'audit_log', sql`${attempts} and created_at < ${before}`, limit);
}
