import { expect, it } from 'vitest';
import { retryAudio } from '../../support/stall-probe.ts';
import { type ComparedTurn, compareTurns } from './turn-metrics.ts';

const off = ({ measuredMs, recordedMs }: ComparedTurn): number => Math.abs(measuredMs - recordedMs);

it('100 turns are measured to 20 ms', { retry: retryAudio() }, async () => {
  const turns = await compareTurns(20, 5);
  const errors = turns.map(({ measuredMs, recordedMs }) => measuredMs - recordedMs);
  const sizes = errors.map(Math.abs).sort((one, other) => one - other);
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  console.log(
    `${turns.length} turns: off by ${mean.toFixed(1)} ms on average, ` +
      `p50 ${sizes[49]!.toFixed(1)} ms, p95 ${sizes[94]!.toFixed(1)} ms, max ${sizes[99]!.toFixed(1)} ms`,
  );
  const worst = turns.toSorted((one, other) => off(other) - off(one))[0]!;
  console.log(
    `the worst: ${worst.endErrorMs.toFixed(1)} ms at its end, ${worst.soundErrorMs.toFixed(1)} ms at its answer`,
  );
  expect(turns).toHaveLength(100);
  expect(sizes.at(-1)).toBeLessThanOrEqual(20);
});
