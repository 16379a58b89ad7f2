import { describe, expect, it } from 'vitest';
import { Precedence } from '../../../src/engine/precedence.ts';

const LOOK_MS = 100;

/** Looks at a thread that used these shares of a core; returns what the thread was told, with the number of the look. */
function told(shares: readonly number[]): (readonly [look: number, on: boolean])[] {
  const changes: (readonly [number, boolean])[] = [];
  let look = 0;
  let cpuMs = 0;
  const precedence = new Precedence((on) => changes.push([look, on]));
  for (const share of shares) {
    look++;
    cpuMs += share * LOOK_MS;
    precedence.look(cpuMs, look * LOOK_MS);
  }
  return changes;
}

const times = (count: number, share: number): number[] => Array.from({ length: count }, () => share);

describe('Precedence', () => {
  it('comes after a second in which the thread leaves the others enough of the core, and stays', () => {
    expect(told(times(9, 0.5))).toEqual([]);
    expect(told(times(50, 0.5))).toEqual([[10, true]]);
  });

  it('ends at the first look that finds the thread too busy', () => {
    expect(told([...times(12, 0.5), 0.8, 0.9])).toEqual([
      [10, true],
      [13, false],
    ]);
  });

  it('comes back after another calm second', () => {
    expect(told([...times(10, 0.5), 0.8, ...times(9, 0.2), 0.8, ...times(10, 0.2)])).toEqual([
      [10, true],
      [11, false],
      [31, true],
    ]);
  });

  it('never comes while the thread is too busy', () => {
    expect(told(times(50, 0.9))).toEqual([]);
  });
});
