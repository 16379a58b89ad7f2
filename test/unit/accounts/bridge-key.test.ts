import { expect, test } from 'vitest';
import { BridgeKey } from '../../../src/accounts/keys/bridge-key.ts';
import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryStore } from '../store/temporary.ts';

const KEY = 'k'.repeat(32);
const HERE = '192.0.2.1';
const HOUR_MS = 3_600_000;

async function guarded(key: string | null = KEY) {
  const { db } = await temporaryStore();
  const clock = new ManualClock();
  const failures: string[] = [];
  const bridgeKey = new BridgeKey({
    db,
    clock,
    key,
    limits: new AttemptLimits(clock, 1),
    failures: { note: (_account, address) => void failures.push(address) },
    onFailure: (error) => {
      throw error;
    },
  });
  const admit = (credential: string | null, address = HERE) => {
    try {
      bridgeKey.admit(credential, address);
      return 'in';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const uses = async () =>
    (await db.selectFrom('auditLog').select('detail').where('action', '=', 'bridge_key.use').execute()).map(
      ({ detail }) => detail.address,
    );
  return { clock, admit, failures, uses };
}

test('without a key there are no endpoints, whatever is shown', async () => {
  const { admit, failures } = await guarded(null);
  expect([admit(null), admit(''), admit(KEY), admit('null')]).toEqual(Array(4).fill('not_found'));
  expect(failures).toEqual([]);
});

test('only the key is admitted, and wrong ones are noted', async () => {
  const { admit, failures } = await guarded();
  expect([admit(null), admit(''), admit(KEY), admit(`${KEY}k`), admit('K'.repeat(32))]).toEqual([
    'unauthorized',
    'unauthorized',
    'in',
    'unauthorized',
    'unauthorized',
  ]);
  expect(failures).toHaveLength(3);
});

test('a network that guesses has to wait, but the right key is admitted from there, too', async () => {
  const { admit, failures } = await guarded();
  const answers = Array.from({ length: 20 }, () => admit('wrong'));
  expect(answers).toEqual([...Array(10).fill('unauthorized'), ...Array(10).fill('too_many_attempts')]);
  expect(failures).toHaveLength(20);
  expect([admit(KEY), admit('wrong', '192.0.2.2')]).toEqual(['in', 'unauthorized']);
});

test('the use of the key is recorded once per address and hour', async () => {
  const { clock, admit, uses } = await guarded();
  for (let n = 0; n < 3; n++) admit(KEY);
  admit(KEY, '192.0.2.2');
  await expect.poll(uses).toEqual([HERE, '192.0.2.2']);
  clock.advance(HOUR_MS);
  admit(KEY);
  await expect.poll(uses).toEqual([HERE, '192.0.2.2', HERE]);
});
