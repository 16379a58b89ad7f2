import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { QueryCache } from '../../../../src/store/database/query-cache.ts';
import { changeRows } from '../../../../src/store/database/rows.ts';
import { findAccount } from '../../../../src/store/people/accounts.ts';
import { seedAccount, temporaryDir, temporaryStore } from '../temporary.ts';

/** The cached address of an account; counts its reads. */
async function scene() {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const { accountId } = await seedAccount(store, 'a');
  const cache = new QueryCache<string | null | undefined>(store);
  let readings = 0;
  const email = () =>
    cache.of(accountId, async () => {
      readings += 1;
      return (await findAccount(store.db, accountId))?.email;
    });
  const setEmail = (to: string) => changeRows(store.db, 'accounts', { id: accountId }, { email: to });
  return { store, dataDir, accountId, cache, email, setEmail, readings: () => readings };
}

test('a repeated query is read again only after a row has changed', async () => {
  const { email, setEmail, readings } = await scene();
  expect([await email(), await email(), readings()]).toEqual([null, null, 1]);
  await setEmail('a@example.com');
  expect([await email(), await email(), readings()]).toEqual(['a@example.com', 'a@example.com', 2]);
});

test('a change is visible to every later query, wherever it was made', async () => {
  const { store, dataDir, accountId, email, setEmail } = await scene();
  for (let i = 0; i < 50; i++) {
    const before = email();
    await setEmail(`${i}@example.com`);
    expect(await email()).toBe(`${i}@example.com`);
    await before;
  }
  const both = store.db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ email: 'x@example.com' }).where('id', '=', accountId).execute();
    // While a transaction is open, the query waits for its end.
    void email();
    await trx.updateTable('accounts').set({ email: 'y@example.com' }).where('id', '=', accountId).execute();
  });
  await both;
  expect(await email()).toBe('y@example.com');
  const shell = new Database(join(dataDir, 'gateway.db'));
  shell.prepare('update accounts set email = ?').run('shell@example.com');
  shell.close();
  // Writes of other processes are checked for once per turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await email()).toBe('shell@example.com');
});

test('a rolled back transaction changes nothing', async () => {
  const { store, accountId, email, setEmail } = await scene();
  await setEmail('a@example.com');
  const failing = store.db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ email: 'b@example.com' }).where('id', '=', accountId).execute();
    void email();
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await email()).toBe('a@example.com');
});

test('a failed read is retried, and keys do not mix', async () => {
  const { cache } = await scene();
  await expect(cache.of('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.of('k', async () => 'yes')).toBe('yes');
  expect(await cache.of('other', async () => 'also')).toBe('also');
  expect(await cache.of('k', async () => 'not asked')).toBe('yes');
});
