import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { listAgents } from '../../../../src/store/agents/agents.ts';
import { prepared } from '../../../../src/store/database/prepared.ts';
import type { Db } from '../../../../src/store/database/rows.ts';
import { eventsOfAgents } from '../../../../src/store/messages/events.ts';
import { seedAccount, temporaryStore } from '../temporary.ts';

afterEach(() => vi.restoreAllMocks());

/** The driver compiles a function that makes rows whenever SQLite has planned a statement that finds some. */
function countPlans(): () => number {
  const compiled = vi.spyOn(globalThis, 'Function');
  return () => compiled.mock.calls.filter(([code]) => code?.startsWith('return (v0')).length;
}

test('a statement is planned once, whatever its parameters are', async () => {
  const store = await temporaryStore();
  const accounts = await Promise.all(['a', 'b', 'c'].map((name) => seedAccount(store, name)));
  for (const { accountId, agentId } of accounts) {
    await sql`insert into events (account_id, agent_id, type, payload, created_at)
      values (${accountId}, ${agentId}, 'x', '{}', '2026-01-01T00:00:00.000Z')`.execute(store.db);
  }
  const plans = countPlans();
  const read = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const [at, { accountId, agentId }] of accounts.entries()) {
      const scope = { accountId, agentIds: [agentId], platforms: null };
      const agents = await listAgents(store.db, accountId);
      const events = await eventsOfAgents(store.db, scope, 0, at + 1);
      found.push(agents.length + events.length);
    }
    return found;
  };
  expect(await read()).toEqual([2, 2, 2]);
  expect(plans()).toBe(2);
  expect(await read()).toEqual([2, 2, 2]);
  expect(plans()).toBe(2);
});

test('a prepared query is built once and gets each parameter in its place', async () => {
  const store = await temporaryStore();
  await seedAccount(store, 'a');
  await seedAccount(store, 'b');
  let built = 0;
  const find = prepared((db, { id, limit }: { readonly id: string; readonly limit: number }) => {
    built += 1;
    return db
      .selectFrom('accounts')
      .select('name')
      .where('name', '!=', 'x')
      .where('id', '=', id)
      .limit(limit);
  });
  const names = async (db: Db, id: string, limit = 1): Promise<string[]> =>
    (await find(db, { id, limit })).rows.map(({ name }) => name);
  expect(await names(store.db, 'acc_a')).toEqual(['a']);
  expect(await names(store.db, 'acc_b')).toEqual(['b']);
  expect(await names(store.db, 'acc_b', 0)).toEqual([]);
  expect(await store.db.transaction().execute((trx) => names(trx, 'acc_a'))).toEqual(['a']);
  expect(built).toBe(1);
});
