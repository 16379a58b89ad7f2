import type { Selectable } from 'kysely';
import { systemClock } from '../base/time.ts';
import type { AuditLogTable, Db } from './tables.ts';

/** Who changed something: every principal is one. `none` is for changes that a link from a mail allows. */
export interface Actor {
  readonly accountId: string;
  readonly kind: AuditLogTable['credentialKind'];
  /** Id of the key or the session; '' where the kind is `none`. */
  readonly credentialId: string;
}

/** What was done, as noun and verb: `agent.create`, `key.revoke`. */
export type AuditAction = `${string}.${string}`;

/** What changed, for people. Never a secret. */
export type AuditDetail = Readonly<Record<string, unknown>>;

/** One line of an account's log; `id` grows with time. */
export interface AuditEntry extends Omit<Selectable<AuditLogTable>, 'detail'> {
  readonly detail: AuditDetail;
}

/**
 * Writes down a change. Run it in the transaction that makes the change, so that neither stays without the other.
 * `subject` is the id of what was changed, null for the account itself.
 */
export async function audit(
  db: Db,
  actor: Actor,
  action: AuditAction,
  subject: string | null,
  detail: AuditDetail = {},
  createdAt: string = systemClock.nowIso(),
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

/** The account's log after the entry `id`, oldest first; 0 begins at the beginning. */
export async function auditEntriesAfter(
  db: Db,
  accountId: string,
  id: number,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('auditLog')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}
