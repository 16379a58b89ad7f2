import { expect, test } from 'vitest';
import { EngineStats } from '../../../src/threads/engine-stats.ts';

test('the name of libopus is visible to everyone who shares the memory, cut when it is too long', () => {
  const worker = new EngineStats();
  const main = new EngineStats(worker.memory);
  expect(main.opusLibrary).toBe(null);
  worker.nameOpus('libopus 1.3.1');
  expect(main.opusLibrary).toBe('libopus 1.3.1');
  worker.nameOpus('x'.repeat(100));
  expect(main.opusLibrary).toBe('x'.repeat(55));
  worker.beat();
  worker.add('calls', 2);
  expect(main.heartbeat).toBe(1);
  expect(main.read().calls).toBe(2);
  expect(main.opusLibrary).toHaveLength(55);
});
