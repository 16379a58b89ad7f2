import { describe, expect, it } from 'vitest';
import { Precedence, ROUND_MS } from '../../../src/engine/engine-worker.ts';

/** Looks at a thread that used these shares of a core; returns the numbers of the looks that let it precede others. */
function looksThatLet(shares: readonly number[]): number[] {
  const looks: number[] = [];
  let look = 0;
  let cpuMs = 0;
  const precedence = new Precedence(() => looks.push(look));
  for (const share of shares) {
    look++;
    cpuMs += share * ROUND_MS;
    precedence.look(cpuMs, look * ROUND_MS);
  }
  return looks;
}

const times = (count: number, share: number): number[] => Array.from({ length: count }, () => share);

describe('Precedence', () => {
  it('is renewed at each look after a second in which the thread leaves the others enough of the core', () => {
    expect(looksThatLet(times(8, 0.5))).toEqual([5, 6, 7, 8]);
  });

  it('is not renewed at a look that finds the thread too busy, nor in the second after', () => {
    expect(looksThatLet([...times(6, 0.5), 0.8, ...times(6, 0.2)])).toEqual([5, 6, 12, 13]);
  });

  it('gives less CPU time than would starve the others until the next look', () => {
    const given: number[] = [];
    const precedence = new Precedence((cpuMs) => given.push(cpuMs));
    for (let look = 1; look <= 5; look++) precedence.look(0, look * ROUND_MS);
    expect(given).toHaveLength(1);
    expect(given[0]).toBeLessThan(ROUND_MS);
  });

  it('never comes while the thread is too busy', () => {
    expect(looksThatLet(times(50, 0.9))).toEqual([]);
  });
});
