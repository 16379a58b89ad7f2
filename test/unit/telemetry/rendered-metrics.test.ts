import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RenderedMetrics } from '../../../src/telemetry/rendered-metrics.ts';

describe('the rendered metrics', () => {
  let renderings = 0;
  let rendered: RenderedMetrics;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    renderings = 0;
    rendered = new RenderedMetrics(async () => `${++renderings}`);
  });
  afterEach(() => vi.useRealTimers());

  it('are rendered once for all requests of one turn', async () => {
    const texts = await Promise.all(Array.from({ length: 500 }, () => rendered.text()));
    expect([renderings, new Set(texts).size]).toEqual([1, 1]);
    await nextTurn();
    expect(await rendered.text()).toBe('2');
  });

  it('are rendered at most twenty times a second, at any rate of requests', async () => {
    for (let n = 0; n < 100; n++) {
      await rendered.text();
      await nextTurn();
    }
    expect([renderings, await rendered.text()]).toEqual([20, '20']);
    vi.advanceTimersByTime(1_000);
    expect(await rendered.text()).toBe('21');
  });
});
