import type { Selectable } from 'kysely';
import type { Db } from '../../../src/store/database/rows.ts';
import type { AuditDetail } from '../../../src/store/people/audit-log.ts';
import type { AuditLogTable } from '../../../src/store/people/people-tables.ts';

/** One line of an account's log; `id` increases over time. */
interface AuditEntry extends Omit<Selectable<AuditLogTable>, 'detail'> {
  readonly detail: AuditDetail;
}

/** The account's log after the entry `id`, oldest first; 0 starts at the beginning. */
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
  return rows.map((row) => ({ ...row, detail: row.detail }));
}
