import { expect, it } from 'vitest';
import { retryAudio } from '../../support/stall-probe.ts';
import { compareTurns } from './turn-metrics.ts';

it('the gateway measures a turn as a recorder on the line does', { retry: retryAudio() }, async () => {
  const turns = await compareTurns(6, 1);
  console.log(turns.map(({ measuredMs, recordedMs }) => `${measuredMs} ${recordedMs.toFixed(1)}`).join(', '));
  for (const { measuredMs, recordedMs } of turns) {
    expect(Math.abs(measuredMs - recordedMs)).toBeLessThanOrEqual(20);
    expect(measuredMs).toBeGreaterThan(400);
  }
});
