import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EventLoopLimit } from '../../../src/base/event-loop-limit.ts';

describe('a limit of work per turn', () => {
  it('starts a fixed number at once and the others in later turns, in order', async () => {
    const limit = new EventLoopLimit(3);
    const begun: number[] = [];
    const all = Array.from({ length: 8 }, async (_, n) => {
      await limit.enter();
      begun.push(n);
    });
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    const perTurn: number[] = [];
    while (begun.length < 8) {
      const before = begun.length;
      await nextTurn();
      perTurn.push(begun.length - before);
    }
    expect(Math.max(...perTurn)).toBe(3);
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('lets owners take turns, each in its own order', async () => {
    const limit = new EventLoopLimit(1);
    const begun: string[] = [];
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(async (name) => {
      await limit.enter(name[0]);
      begun.push(name);
    });
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('starts as many again in another turn', async () => {
    const limit = new EventLoopLimit(1);
    for (let n = 0; n < 3; n++) {
      let isIn = false;
      void limit.enter().then(() => {
        isIn = true;
      });
      await Promise.resolve();
      expect(isIn).toBe(true);
      await nextTurn();
      await nextTurn();
    }
  });
});
