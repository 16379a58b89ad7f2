import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { FRAME_MS, SLOT_MS } from '../../../src/base/frame.ts';
import { TickClock, type Ticking } from '../../../src/engine/clock.ts';
import { portableIo } from '../../../src/rtp/paths/portable-sockets.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';
import { retryAfterStall } from '../../support/stall-probe.ts';
import { until } from './support/test-engine.ts';

const HELD_UP_MS = 75;
const HELD_UP_IN_TICK = 3;

function holdUp(milliseconds: number): void {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs);
}

interface Entry {
  readonly slot: number;
  readonly atMs: number;
}

/** A clock whose third tick may be delayed while something arrives for the thread. */
class Bench implements Ticking {
  readonly stats = new EngineStats();
  readonly occupied = new Set<number>();
  readonly order: (number | 'arrival')[] = [];
  readonly ticks: Entry[] = [];
  heldUp = false;
  readonly #channel = new MessageChannel();
  readonly #clock = new TickClock(this.stats, this);

  constructor(...occupied: number[]) {
    for (const slot of occupied) this.occupied.add(slot);
    this.#channel.port1.on('message', () => this.order.push('arrival'));
    this.#clock.wake();
  }

  isOccupied(slot: number): boolean {
    return this.occupied.has(slot);
  }

  tick(slot: number): void {
    this.ticks.push({ slot, atMs: performance.now() });
    this.order.push(this.ticks.length);
    if (!this.heldUp || this.ticks.length !== HELD_UP_IN_TICK) return;
    this.#channel.port2.postMessage(0);
    holdUp(HELD_UP_MS);
  }

  sleep(milliseconds: number): void {
    portableIo.sleep(milliseconds);
  }

  occupy(slot: number): void {
    this.occupied.add(slot);
    this.#clock.wake();
  }

  get running(): boolean {
    return this.#clock.running;
  }

  stop(): void {
    this.#clock.stop();
    this.#channel.port1.close();
  }
}

describe('TickClock', () => {
  const retry = retryAfterStall(4);
  let bench: Bench;
  afterEach(() => bench.stop());

  it('gives every occupied slot its turn, in order', { retry }, async () => {
    bench = new Bench(3, 9, 17);
    await until(() => bench.ticks.length >= 11);
    const order = bench.ticks.map(({ slot }) => slot);
    const first = order.indexOf(3);
    expect(order.slice(first, first + 9)).toEqual([3, 9, 17, 3, 9, 17, 3, 9, 17]);
  });

  it('stops while no slot is occupied, and counts nothing as late or skipped when it continues', {
    retry,
  }, async () => {
    bench = new Bench(4);
    await until(() => bench.ticks.length >= 2);
    bench.occupied.clear();
    await until(() => !bench.running);
    holdUp(HELD_UP_MS * 3);
    const seen = bench.ticks.length;
    bench.occupy(12);
    await until(() => bench.ticks.length >= seen + 2);
    expect(bench.ticks.slice(seen, seen + 2).map(({ slot }) => slot)).toEqual([12, 12]);
    expect(bench.stats.read().skipped_ticks).toBe(0);
  });

  it('starts no tick before it is due', { retry }, async () => {
    const startedMs = performance.now();
    bench = new Bench(1, 2, 3, 4);
    await until(() => bench.ticks.length >= 41);
    const origins = bench.ticks.map(
      ({ slot, atMs }, i) => atMs - Math.floor(i / 4) * FRAME_MS - slot * SLOT_MS,
    );
    expect(Math.min(...origins)).toBeGreaterThanOrEqual(startedMs);
  });

  it('includes newly occupied slots and leaves out emptied ones', { retry }, async () => {
    bench = new Bench(5);
    await until(() => bench.ticks.length >= 4);
    bench.occupied.delete(5);
    bench.occupied.add(11);
    const seen = bench.ticks.length;
    await until(() => bench.ticks.length >= seen + 4);
    expect(new Set(bench.ticks.slice(seen).map(({ slot }) => slot))).toEqual(new Set([11]));
  });

  it('reads what arrived during a delay before it catches up', { retry }, async () => {
    bench = new Bench(0);
    bench.heldUp = true;
    await until(() => bench.order.length >= 7);
    expect(bench.order.slice(0, 5)).toEqual([1, 2, 3, 'arrival', 4]);
  });

  it('catches up on the ticks of a slot one at a time, skipping none, faster than real time', {
    retry,
  }, async () => {
    bench = new Bench(0, 10);
    bench.heldUp = true;
    await until(() => bench.ticks.length >= 12);
    const { slots, gapsMs } = {
      slots: bench.ticks.slice(0, 12).map(({ slot }) => slot),
      gapsMs: bench.ticks.slice(4, 9).map(({ atMs }, i) => atMs - (bench.ticks[i + 2]?.atMs ?? 0)),
    };
    expect(slots.every((slot, i) => slot !== slots[i + 1])).toBe(true);
    expect(Math.min(...gapsMs)).toBeGreaterThan(3);
    expect((bench.ticks[8]?.atMs ?? 0) - (bench.ticks[3]?.atMs ?? 0)).toBeLessThan(35);
    expect(bench.stats.read().skipped_ticks).toBe(0);
  });

  it('skips ticks beyond five per slot, and counts them', { retry }, async () => {
    bench = new Bench(0, 10);
    await until(() => bench.ticks.length >= 2);
    holdUp(10.5 * FRAME_MS);
    const before = bench.ticks.length;
    await until(() => bench.ticks.length >= before + 10);
    expect(bench.stats.read().skipped_ticks).toBeGreaterThanOrEqual(10);
    expect(bench.stats.read().skipped_ticks % 2).toBe(0);
  });
});
