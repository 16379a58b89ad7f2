import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/threads/engine.ts';
import { Slowdown } from '../../support/slowdown.ts';
import { startTestEngine, TestAgent, TestCall, until } from './support/test-engine.ts';

let engine: Engine | null = null;
afterEach(async () => {
  await engine?.close(1_000);
  engine = null;
});

describe('a bug in one call', () => {
  it.each(['throw_in_tick', 'fail'] as const)('ends only that call: %s', async (fault) => {
    const started = await startTestEngine();
    engine = started.engine;
    const sick = new TestCall(engine, 'call_sick');
    const well = new TestCall(engine, 'call_well');
    await Promise.all([sick.open(), well.open()]);
    sick.run(fault).catch(() => {});
    await until(() => sick.terminations.length === 1);
    expect(sick.terminations[0]?.result).toBe('internal_error');
    well.takeHeard();
    await until(() => well.hears.queuedSamples >= 1_600);
    expect(well.terminations).toEqual([]);
    expect(started.observer.failed).toEqual(['call_sick']);
    expect(started.observer.lost).toEqual([]);
    expect(engine.report().total).toMatchObject({ calls: 1, failed_calls: 1 });
  });

  it('ends the call when it stalls the worker, and moves the others', async () => {
    const started = await startTestEngine({ stallMs: 400 });
    engine = started.engine;
    const sick = new TestCall(engine, 'call_sick');
    const well = new TestCall(engine, 'call_well');
    await Promise.all([sick.open(), well.open()]);
    sick.run('loop').catch(() => {});
    await until(() => sick.terminations.length === 1);
    well.takeHeard();
    await until(() => well.hears.queuedSamples >= 1_600);
    expect(well.terminations).toEqual([]);
    expect(started.observer.lost).toMatchObject([{ stalled: true }]);
    expect(started.observer.moved).toEqual(['call_well']);
  });
});

describe('a worker that dies', () => {
  it('restores audio for all its 50 calls within 500 ms, without affecting another worker', async () => {
    const started = await startTestEngine({ threads: 2 });
    engine = started.engine;
    const calls = Array.from({ length: 100 }, (_, i) => new TestCall(started.engine, `call_${i}`));
    await Promise.all(calls.map((call) => call.open()));
    const agents = calls.map((call) => new TestAgent(call.call));
    for (const agent of agents) agent.audio.listen(8_000);
    const speak = () => {
      for (const { audio } of agents) audio.write(new Int16Array(160).fill(900), 8_000);
      for (const { says } of calls) says.write(new Int16Array(160).fill(77), 0, 160, 8_000);
    };
    const talking = setInterval(speak, 20);
    try {
      await until(() => agents.every(({ frames }) => frames.at(-1)?.readInt16LE(0) === 77));
      const ticksBefore = new Map(started.engine.report().workers.map((w) => [w.threadId, w.numbers]));
      for (const agent of agents) agent.frames.length = 0;
      calls[0]!.run('exit').catch(() => {});
      await until(() => started.observer.lost.length === 1);
      const lostAtMs = performance.now();
      const slowdown = new Slowdown(process.pid);
      const lost = started.observer.lost[0]!;
      expect(lost.calls).toBe(50);
      await until(() => started.observer.moved.length === 50);
      for (const agent of agents) agent.frames.length = 0;
      for (const call of calls) call.takeHeard();
      await until(
        () =>
          agents.every(({ frames }) => frames.at(-1)?.readInt16LE(0) === 77) &&
          calls.every(({ hears }) => hears.queuedSamples > 0),
      );
      const backMs = performance.now() - lostAtMs;
      expect(backMs).toBeLessThan(500 * slowdown.factor);
      expect(calls.flatMap(({ terminations }) => terminations)).toEqual([]);
      const other = started.engine.report().workers.find(({ threadId }) => ticksBefore.has(threadId))!;
      expect(started.observer.moved).toHaveLength(50);
      expect(other.numbers.ticks).toBeGreaterThan(ticksBefore.get(other.threadId)!.ticks);
      const spread = started.engine.report().workers.map(({ numbers }) => numbers.calls);
      const freshInTime = (started.observer.readyAtMs[2] ?? Infinity) - lostAtMs < 250;
      expect(spread).toEqual(freshInTime ? [50, 50] : expect.arrayContaining([expect.any(Number)]));
    } finally {
      clearInterval(talking);
    }
  });

  it('fails pending commands, and applies configurations when the call is placed again', async () => {
    const started = await startTestEngine();
    engine = started.engine;
    const call = new TestCall(engine, 'call_1');
    await call.open();
    await call.media.configure(41);
    const hanging = call.run('hang');
    const exiting = call.run('exit');
    const reported = call.call.report();
    const configured = call.media.configure(42);
    await expect(hanging).rejects.toThrow('lost');
    await expect(exiting).rejects.toThrow('lost');
    await expect(reported).rejects.toThrow('lost');
    await expect(configured).resolves.toBeUndefined();
    expect(started.observer.moved).toEqual(['call_1']);
  });
});
