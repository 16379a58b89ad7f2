import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mixer, type Party } from '../../../src/engine/mixer.ts';

class TestParty implements Party {
  readonly #says: readonly number[] | null;
  heard: number[] = [];
  voiced: boolean | null = null;

  constructor(says: readonly number[] | null) {
    this.#says = says;
  }

  pull(frame: Int16Array): boolean {
    if (this.#says === null) return false;
    frame.set(this.#says);
    return true;
  }

  push(frame: Int16Array, voiced: boolean): void {
    this.heard = [...frame];
    this.voiced = voiced;
  }
}

const LENGTH = 4;
const sample = fc.integer({ min: -32_768, max: 32_767 });
const said = fc.option(fc.array(sample, { minLength: LENGTH, maxLength: LENGTH }));

describe('the mixer', () => {
  it('gives each party the saturated sum of all others', () => {
    const mixer = new Mixer(LENGTH);
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 8 }), (room) => {
        const parties = room.map((says) => new TestParty(says));
        mixer.mix(parties);
        parties.forEach((party, i) => {
          const others = room.filter((says, j) => says !== null && j !== i) as number[][];
          const expected = Array.from({ length: LENGTH }, (_, n) => {
            const sum = others.reduce((total, says) => total + (says[n] as number), 0);
            return Math.max(-32_768, Math.min(32_767, sum));
          });
          expect(party.heard).toEqual(expected);
          if (others.length > 0) expect(party.voiced).toBe(true);
        });
      }),
    );
  });

  it('reports when nothing was spoken', () => {
    const parties = [new TestParty(null), new TestParty([1, 2, 3, 4])];
    new Mixer(LENGTH).mix(parties);
    expect(parties.map(({ voiced }) => voiced)).toEqual([true, false]);
  });

  it('mixes 50 speaking parties in a tenth of a millisecond', () => {
    const mixer = new Mixer(160);
    const noise = Array.from({ length: 160 }, (_, n) => ((n * 7_919) % 2_000) - 1_000);
    const frame = Int16Array.from(noise);
    const parties = Array.from({ length: 50 }, () => ({
      pull: (target: Int16Array) => {
        target.set(frame);
        return true;
      },
      push: () => {},
    }));
    const tickMs: number[] = [];
    for (let i = 0; i < 2_000; i++) {
      const beganMs = performance.now();
      mixer.mix(parties);
      tickMs.push(performance.now() - beganMs);
    }
    expect(tickMs.sort((a, b) => a - b)[1_000]).toBeLessThan(0.1);
  });
});
