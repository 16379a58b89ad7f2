import { systemClock } from '../base/time.ts';
import type { AuditLogTable, Db } from './tables.ts';

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
