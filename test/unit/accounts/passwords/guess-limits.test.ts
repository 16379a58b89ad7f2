import { describe, expect, it } from 'vitest';
import { AttemptLimits } from '../../../../src/accounts/passwords/attempt-limits.ts';
import { type Guess, GuessLimits } from '../../../../src/accounts/passwords/guess-limits.ts';
import { TooManyAttempts } from '../../../../src/base/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;
const OWNER = 'owner@example.com';

function limited(attempts = 10) {
  const clock = new ManualClock();
  const guesses = new GuessLimits(clock, attempts, new AttemptLimits(clock, attempts));
  const begin = (ip: string, browser: string | null = null, subject: string | null = OWNER): Guess =>
    guesses.begin({ subject, ip, browser });
  /** Makes a wrong guess; returns the seconds to wait, 0 for an allowed guess. */
  const wrong = (...from: Parameters<typeof begin>): number => {
    try {
      begin(...from).wrong();
      return 0;
    } catch (error) {
      if (!(error instanceof TooManyAttempts)) throw error;
      return error.retryAfterS;
    }
  };
  /** Makes `count` wrong guesses, each from a network of its own. */
  const wrongFromEverywhere = (count: number, first = 0): number[] =>
    Array.from({ length: count }, (_, n) => wrong(`10.${(first + n) >> 8}.${(first + n) & 255}.1`));
  return { clock, begin, wrong, wrongFromEverywhere };
}

describe('password guesses from one network', () => {
  it('are limited to a few per account, then each waits twice as long', () => {
    const { clock, wrong } = limited();
    for (let n = 0; n < 10; n++) expect(wrong('192.0.2.1')).toBe(0);
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const waitS = wrong('192.0.2.1');
      waits.push(waitS);
      clock.advance(waitS * 1000 - 1);
      expect(wrong('192.0.2.1')).toBe(1);
      clock.advance(1);
      expect(wrong('192.0.2.1')).toBe(0);
    }
    expect(waits).toEqual([90, 180, 360, 720, 900, 900]);
  });

  it('do not lock out other networks or other accounts', () => {
    const { wrong } = limited();
    for (let n = 0; n < 11; n++) wrong('192.0.2.1');
    expect(wrong('192.0.2.1')).toBeGreaterThan(0);
    expect(wrong('192.0.2.2')).toBe(0);
    expect(wrong('192.0.2.1', null, 'other@example.com')).toBe(0);
  });

  it('are counted by the /64 network in IPv6', () => {
    const { wrong } = limited();
    for (let n = 0; n < 10; n++) expect(wrong(`2001:db8:0:1:0:0:0:${n}`)).toBe(0);
    expect(wrong('2001:db8:0:1:f:f:f:f')).toBe(90);
    expect(wrong('2001:db8:0:2:0:0:0:1')).toBe(0);
  });

  it('are counted before the check, so that parallel guesses gain nothing', () => {
    const { begin } = limited();
    const atOnce = Array.from({ length: 10 }, () => begin('192.0.2.1'));
    expect(() => begin('192.0.2.1')).toThrow('Too many attempts');
    for (const guess of atOnce) guess.wrong();
  });

  it('start from zero after a right password, or an hour without any', () => {
    const { clock, begin, wrong } = limited();
    for (let n = 0; n < 9; n++) wrong('192.0.2.1');
    begin('192.0.2.1').right();
    for (let n = 0; n < 10; n++) expect(wrong('192.0.2.1')).toBe(0);
    clock.advance(60 * MINUTE_MS);
    for (let n = 0; n < 10; n++) expect(wrong('192.0.2.1')).toBe(0);
  });

  it('are limited to ten times as many over all accounts', () => {
    const { wrong } = limited(1);
    for (let n = 0; n < 10; n++) expect(wrong('192.0.2.1', null, `${n}@example.com`)).toBe(0);
    expect(wrong('192.0.2.1', null, 'another@example.com')).toBe(90);
  });
});

describe('password guesses on one account', () => {
  it('are limited to a hundred an hour over all networks', () => {
    const { clock, wrong, wrongFromEverywhere } = limited();
    expect(wrongFromEverywhere(100).every((waitS) => waitS === 0)).toBe(true);
    expect(wrong('203.0.113.1')).toBe(3600);
    clock.advance(59 * MINUTE_MS);
    expect(wrong('203.0.113.1')).toBe(60);
    clock.advance(MINUTE_MS);
    expect(wrong('203.0.113.1')).toBe(0);
  });

  it('never lock out a browser that the account knows, which has a few guesses of its own', () => {
    const { begin, wrong, wrongFromEverywhere } = limited();
    wrongFromEverywhere(100);
    for (let n = 0; n < 20; n++) begin('10.0.0.1', 'known').right();
    for (let n = 0; n < 10; n++) expect(wrong('10.0.0.1', 'known')).toBe(0);
    expect(wrong('10.0.0.2', 'known')).toBe(90);
  });

  it('are reported once an hour, by the last allowed guess', () => {
    const { clock, begin, wrongFromEverywhere } = limited();
    wrongFromEverywhere(99);
    const [last] = [begin('203.0.113.1')];
    expect([last.wrong(), last.wrong()]).toEqual([true, false]);
    clock.advance(60 * MINUTE_MS);
    wrongFromEverywhere(99);
    expect(begin('203.0.113.2').wrong()).toBe(true);
  });

  it('do not count when the password is right', () => {
    const { begin, wrong } = limited();
    for (let n = 0; n < 300; n++) begin(`10.1.${n >> 8}.${n & 255}`).right();
    expect(wrong('203.0.113.1')).toBe(0);
  });
});

it('guesses at secrets that do not name an account are counted by network alone', () => {
  const { begin, wrong } = limited();
  for (let n = 0; n < 10; n++) expect(wrong('192.0.2.1', null, null)).toBe(0);
  expect(wrong('192.0.2.1', null, null)).toBe(90);
  for (let n = 0; n < 200; n++) expect(wrong(`10.2.0.${n}`, null, null)).toBe(0);
  expect(begin('192.0.2.9', null, null).wrong()).toBe(false);
});
