import { performance } from 'node:perf_hooks';
import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { newHashingShares, personOf, strangerAt } from '../../../../src/accounts/passwords/hashing-shares.ts';
import { argon2id } from '../../../../src/accounts/passwords/passwords.ts';
import { TooManyAttempts } from '../../../../src/base/errors.ts';
import { systemClock } from '../../../../src/base/time.ts';
import { JOB_THREADS } from '../../../../src/jobs/jobs.ts';

const OWNER = strangerAt('192.0.2.1');
const hasher = argon2id(newHashingShares(systemClock));
const hashPassword = (password: string) => hasher.hash(password, OWNER);
const verifyPassword = (hash: string | null, password: string) => hasher.verify(hash, password, OWNER);

test('only the hashed password verifies', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hashPassword('correct horse')).not.toBe(hash);
  expect(await verifyPassword(hash, 'correct horse')).toBe(true);
  expect(await verifyPassword(hash, 'correct horsf')).toBe(false);
  expect(await verifyPassword(hash, '')).toBe(false);
});

test('the same letters in another Unicode normalization form are the same password', async () => {
  expect(await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')).toBe(true);
});

test('an account without a hash accepts no password', async () => {
  expect(await verifyPassword(null, 'correct horse')).toBe(false);
  expect(await verifyPassword(null, '')).toBe(false);
});

test('hashing does not block the main thread', async () => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  const startMs = performance.now();
  for (let i = 0; i < 5; i++) await hashPassword('correct horse');
  const tookMs = performance.now() - startMs;
  clearInterval(ticking);
  expect(tookMs).toBeGreaterThan(15);
  // If hashing ran on this thread, there would be only one turn of the loop between two hashes.
  expect(ticks).toBeGreaterThan(8);
});

describe('when strangers want far more than can be hashed', () => {
  /** The first of them keep their places, and as many wait as may. */
  const flooded = async () => {
    const shares = newHashingShares(systemClock);
    const { verify } = argon2id(shares);
    for (let n = 0; n < JOB_THREADS; n++) await shares.strangers.take('first', 1_000);
    const asked = Array.from({ length: 300 }, (_, n) => verify(null, 'x', strangerAt(`10.0.${n % 50}.${n}`)));
    return { shares, verify, refused: refusalOf(asked) };
  };

  /** The first refusal. */
  const refusalOf = async (asked: readonly Promise<unknown>[]): Promise<unknown> =>
    await Promise.all(asked).catch((error: unknown) => error);

  test('a second of work waits, and the rest is refused with a time to come again', async () => {
    const { shares, refused } = await flooded();
    expect(shares.strangers).toMatchObject({ waiting: 32 * JOB_THREADS, refused: 300 - 32 * JOB_THREADS });
    expect(await refused).toBeInstanceOf(TooManyAttempts);
    expect(await refused).toMatchObject({ retryAfterS: 5 });
  });

  test('a person whom the account knows waits for none of them', async () => {
    const { verify } = await flooded();
    const quick = await hash('x', { memoryCost: 8, timeCost: 1, parallelism: 1 });
    expect(await verify(quick, 'x', personOf('acc_1'))).toBe(true);
  });
});
