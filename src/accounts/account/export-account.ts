import { setImmediate as turn } from 'node:timers/promises';
import { EXPORTED_TABLES, exportedName, exportedPages } from '../../store/people/account-export.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { AccountDomain } from './account-domain.ts';

/**
 * Yields everything that an account owns as the text of one JSON document: a list of rows per table, without secrets.
 * The export is read page by page while it is sent, so changes meanwhile may or may not be included.
 */
export async function* exportAccount({ store, clock }: AccountDomain, actor: Actor): AsyncGenerator<string> {
  const { accountId } = actor;
  await audit(store.db, actor, { action: 'account.export' });
  yield `{"format":1,"account_id":${JSON.stringify(accountId)},"exported_at":"${clock.nowIso()}"`;
  for (const table of EXPORTED_TABLES) {
    yield `,"${exportedName(table)}":[`;
    let separator = '';
    for await (const rows of exportedPages(store.db, accountId, table)) {
      yield separator + rows.map((row) => JSON.stringify(row)).join(',');
      separator = ',';
      // Lets other work run: neither the database nor a fast reader yields to the event loop.
      await turn();
    }
    yield ']';
  }
  yield '}';
}
