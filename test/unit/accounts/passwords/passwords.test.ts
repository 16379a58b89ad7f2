import { performance } from 'node:perf_hooks';
import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { argon2id } from '../../../../src/accounts/passwords/passwords.ts';
import { TooManyAttempts } from '../../../../src/base/errors.ts';

const { hash: hashPassword, verify: verifyPassword } = argon2id;

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

test('hashing refuses work beyond its queue, and finishes the rest', async () => {
  const quick = await hash('x', { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const asked = await Promise.allSettled(Array.from({ length: 150 }, () => verifyPassword(quick, 'x')));
  const refused = asked.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(30);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(TooManyAttempts);
  expect(asked).toContainEqual({ status: 'fulfilled', value: true });
});
