import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { TickClock } from '../../../src/engine/clock.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';
import { until } from './support/test-engine.ts';

const HELD_UP_MS = 75;
const HELD_UP_IN_TICK = 3;

function holdUp(milliseconds: number): void {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs);
}

/** A clock whose third tick is held up while something arrives for the thread. */
class Bench {
  readonly stats = new EngineStats();
  readonly order: (number | 'arrival')[] = [];
  readonly atMs: number[] = [];
  readonly #channel = new MessageChannel();
  readonly #clock = new TickClock(this.stats, (tick) => this.#tick(tick));

  constructor() {
    this.#channel.port1.on('message', () => this.order.push('arrival'));
    this.#clock.start();
  }

  #tick(tick: number): void {
    this.order.push(tick);
    this.atMs.push(performance.now());
    if (tick !== HELD_UP_IN_TICK) return;
    this.#channel.port2.postMessage(0);
    holdUp(HELD_UP_MS);
  }

  stop(): void {
    this.#clock.stop();
    this.#channel.port1.close();
  }
}

describe('TickClock', () => {
  let bench: Bench;
  afterEach(() => bench.stop());

  it('takes in what arrived during a delay before it makes up for the ticks', async () => {
    bench = new Bench();
    await until(() => bench.order.length >= 7);
    expect(bench.order.slice(0, 5)).toEqual([1, 2, 3, 'arrival', 4]);
  });

  it('makes up for ticks one at a time, none of them left out, faster than they would have come', async () => {
    bench = new Bench();
    await until(() => bench.atMs.length >= 6);
    const [third = 0, fourth = 0, fifth = 0, sixth = 0] = bench.atMs.slice(2);
    expect(bench.order.filter((entry) => entry !== 'arrival').slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(fourth - third).toBeGreaterThanOrEqual(HELD_UP_MS);
    expect(fifth - fourth).toBeGreaterThan(2);
    expect(sixth - fifth).toBeGreaterThan(2);
    expect(sixth - fourth).toBeLessThan(35);
    expect(bench.stats.read().skipped_ticks).toBe(0);
  });
});
