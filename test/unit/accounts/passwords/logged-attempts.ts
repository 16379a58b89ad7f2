import { sql } from 'kysely';
import { FailedAttempts } from '../../../../src/accounts/passwords/failed-attempts.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { seedAccount, temporaryStore } from '../../store/temporary.ts';

/** Failed attempts over a real store, with an account. */
export async function logged() {
  const store = await temporaryStore();
  const { accountId } = await seedAccount(store, 'a');
  const clock = new ManualClock();
  const drops = { count: 0 };
  const failed = new FailedAttempts('password.fail', store.db, clock, {
    failed: (error) => {
      throw error;
    },
    dropped: () => void drops.count++,
  });
  const lines = async () => {
    const rows = await store.db.selectFrom('auditLog').selectAll().orderBy('id').execute();
    return rows.map(({ accountId: owner, action, detail }) => {
      return { owner, action, ...(detail as { address: string | null; count: number }) };
    });
  };
  const counted = async () => {
    const total = sql<number>`sum(detail ->> 'count')`.as('total');
    return (await store.db.selectFrom('auditLog').select(total).executeTakeFirst())?.total;
  };
  /** The log lines once they count this many wrong passwords. */
  const counting = async (sum: number) =>
    await waitFor(`${sum} wrong passwords in the log`, async () => (await counted()) === sum && lines());
  return { store, clock, failed, accountId, counting, drops };
}
