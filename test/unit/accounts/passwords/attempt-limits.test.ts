import { expect, test } from 'vitest';
import { AttemptLimits } from '../../../../src/accounts/passwords/attempt-limits.ts';
import { TooManyAttempts } from '../../../../src/base/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;

function limited(attempts = 3) {
  const clock = new ManualClock();
  const limits = new AttemptLimits(clock, attempts);
  /** Seconds to wait; 0 when the attempt was allowed. */
  const wait = (ip: string, subject: string | null, cost?: number): number => {
    try {
      limits.attempt(ip, subject, cost);
      return 0;
    } catch (error) {
      if (!(error instanceof TooManyAttempts)) throw error;
      return error.retryAfterS;
    }
  };
  return { clock, limits, wait };
}

test('an address has a number of attempts from anywhere, and regains them over time', () => {
  const { clock, wait } = limited();
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(wait(ip, 'login a')).toBe(0);
  expect(wait('192.0.2.4', 'login a')).toBe(300);
  expect(wait('192.0.2.4', 'login b')).toBe(0);
  clock.advance(4 * MINUTE_MS);
  expect(wait('192.0.2.4', 'login a')).toBe(60);
  clock.advance(MINUTE_MS);
  expect(wait('192.0.2.4', 'login a')).toBe(0);
  expect(wait('192.0.2.4', 'login a')).toBe(300);
});

test('a refused attempt does not count', () => {
  const { clock, wait } = limited(1);
  expect(wait('192.0.2.1', 'login a')).toBe(0);
  for (let i = 0; i < 50; i++) expect(wait('192.0.2.1', 'login a')).toBe(900);
  clock.advance(15 * MINUTE_MS);
  expect(wait('192.0.2.1', 'login a')).toBe(0);
});

test('an IP address has ten times as many attempts over all addresses', () => {
  const { wait } = limited(1);
  for (let i = 0; i < 10; i++) expect(wait('192.0.2.1', `login ${i}`)).toBe(0);
  expect(wait('192.0.2.1', 'login another')).toBe(90);
  expect(wait('192.0.2.1', null)).toBe(90);
  expect(wait('192.0.2.2', 'login another')).toBe(0);
});

test('an IPv6 network counts as one client', () => {
  const { wait } = limited(1);
  for (let i = 0; i < 10; i++) expect(wait(`2001:db8:0:1:0:0:0:${i}`, null)).toBe(0);
  expect(wait('2001:db8:0:1:f:f:f:f', null)).toBe(90);
  expect(wait('2001:db8:0:2:0:0:0:1', null)).toBe(0);
});

test.each([
  ['/24', (n: number) => `192.0.2.${n}`, '192.0.3.1'],
  ['/48', (n: number) => `2001:db8:7:${n}:0:0:0:1`, '2001:db8:8:0:0:0:0:1'],
])('all addresses of one %s have four times as many attempts as one of them', (_, addressOf, elsewhere) => {
  const { wait } = limited(1);
  for (let n = 0; n < 40; n++) expect(wait(addressOf(n), null)).toBe(0);
  expect(wait(addressOf(99), null)).toBe(23);
  expect(wait(elsewhere, null)).toBe(0);
});

test('a mail costs more attempts, but the first one is always allowed', () => {
  const { wait, limits } = limited(10);
  expect([wait('192.0.2.1', 'mail a', 3), wait('192.0.2.1', 'mail a', 3)]).toEqual([0, 0]);
  expect(wait('192.0.2.1', 'mail a', 3)).toBe(0);
  expect(wait('192.0.2.1', 'mail a', 3)).toBe(180);
  expect(limits.attemptQuietly('mail a', 3)).toBe(false);
  expect(limits.attemptQuietly('mail b', 3)).toBe(true);
  expect(limited(1).wait('192.0.2.1', 'mail a', 3)).toBe(0);
});
