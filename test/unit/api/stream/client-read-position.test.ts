import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ClientReadPosition } from '../../../../src/api/stream/client-read-position.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('reports nothing read before two turns of the event loop, then what had arrived at the first', async () => {
  const clock = new ManualClock();
  const horizon = new ClientReadPosition(clock);
  const firstMs = clock.monotonicMs();
  expect(horizon.readUpToMs()).toBe(Number.NEGATIVE_INFINITY);
  await turn();
  clock.advance(300);
  expect(horizon.readUpToMs()).toBe(Number.NEGATIVE_INFINITY);
  await turn();
  expect(horizon.readUpToMs()).toBe(firstMs);
  await turn();
  expect(horizon.readUpToMs()).toBe(firstMs + 300);
});
