import { setImmediate as turn } from 'node:timers/promises';
import { EXPORTED_TABLES, exportedName, exportedPages } from '../../store/people/account-export.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { AccountDomain } from './account-domain.ts';

/**
 * Everything that an account owns, as the text of one JSON document: a list of rows for each table, without secrets.
 * It is read while it is sent, a page at a time, so that what changes meanwhile may be in it or not.
 */
export async function* exportAccount({ store, clock }: AccountDomain, actor: Actor): AsyncGenerator<string> {
  const { accountId } = actor;
  await audit(store.db, actor, { action: 'account.export', subject: null });
  yield `{"format":1,"account_id":${JSON.stringify(accountId)},"exported_at":"${clock.nowIso()}"`;
  for (const table of EXPORTED_TABLES) {
    yield `,"${exportedName(table)}":[`;
    let separator = '';
    for await (const rows of exportedPages(store.db, accountId, table)) {
      yield separator + rows.map((row) => JSON.stringify(row)).join(',');
      separator = ',';
      // Others have their turn: neither the database nor a fast reader would let the event loop go on.
      await turn();
    }
    yield ']';
  }
  yield '}';
}
