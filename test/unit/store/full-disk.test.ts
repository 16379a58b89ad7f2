import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { GatewayError } from '../../../src/base/errors.ts';
import { listAgents } from '../../../src/store/agents/agents.ts';
import { DiskWatch } from '../../../src/store/database/disk-watch.ts';
import { audit } from '../../../src/store/people/audit-log.ts';
import { seedAccount, temporaryStore } from './temporary.ts';

/** A store without room for even one more page. */
async function fullStore() {
  const store = await temporaryStore();
  const owner = await seedAccount(store, 'a');
  const { rows } = await sql<{ pageCount: number }>`pragma page_count`.execute(store.db);
  const limit = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(store.db);
  await limit(rows[0]!.pageCount);
  const write = () => {
    const actor = { accountId: owner.accountId, kind: 'session', credentialId: 'ses_1' } as const;
    return store.db.transaction().execute((trx) =>
      audit(trx, actor, {
        action: 'agent.create',
        subject: null,
        detail: { text: 'x'.repeat(100_000) },
      }),
    );
  };
  return { store, owner, write, makeRoom: () => limit(1_000_000) };
}

test('a transaction without room fails with disk_full, and works once there is room', async () => {
  const { store, owner, write, makeRoom } = await fullStore();
  for (let n = 0; n < 3; n++) await expect(write()).rejects.toMatchObject({ code: 'disk_full', status: 507 });
  expect(store.disk.problem).toBe('The disk refuses writes (SQLITE_FULL)');
  expect(await listAgents(store.db, owner.accountId), 'reading goes on').toHaveLength(1);
  await makeRoom();
  await write();
});

test('other query errors are passed on unchanged', async () => {
  const store = await temporaryStore();
  await seedAccount(store, 'a');
  await expect(seedAccount(store, 'a')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
  await expect(sql`nonsense`.execute(store.db)).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
  expect(store.disk.problem).toBeNull();
});

test('a full disk is reported once, and so is its end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const told: (string | null)[] = [];
  let isFull = true;
  const probe = () => {
    if (isFull) throw Object.assign(new Error('no room'), { code: 'EDQUOT' });
  };
  const watch = new DiskWatch({ dir: '/', probe });
  try {
    watch.watch((problem) => told.push(problem));
    for (let n = 0; n < 5; n++)
      expect(watch.failure(Object.assign(new Error('no room'), { code: 'EDQUOT' }))).toBeInstanceOf(
        GatewayError,
      );
    vi.advanceTimersByTime(60_000);
    const problem = 'The disk refuses writes (EDQUOT)';
    expect([told, watch.problem]).toEqual([[problem], problem]);
    isFull = false;
    vi.advanceTimersByTime(20_000);
    expect([told, watch.problem]).toEqual([[problem, null], null]);
  } finally {
    watch.close();
    vi.useRealTimers();
  }
});
