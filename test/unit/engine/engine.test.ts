import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ringMemory } from '../../../src/rings/ring-layout.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import { startTestEngine, TestAgent, TestCall, until } from './support/test-engine.ts';
import { COUNTED, TEST_MEDIA } from './support/test-media-leg.ts';

let engine: Engine | null = null;
afterEach(async () => {
  await engine?.close(1_000);
  engine = null;
});

function ramp(length: number, from = 1): Int16Array {
  return Int16Array.from({ length }, (_, i) => from + i);
}

function soundOf(samples: Int16Array): number[] {
  return [...samples].filter((sample) => sample !== 0);
}

describe('a call on the engine', () => {
  it('carries an agent’s audio to the far end, sample for sample, with any message sizes', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    const agent = new TestAgent(far.call);
    await far.open();
    const speech = ramp(4_001);
    agent.audio.write(speech.subarray(0, 7), 8_000);
    agent.audio.write(speech.subarray(7, 1_000), 8_000);
    agent.audio.write(speech.subarray(1_000), 8_000);
    agent.audio.mark(7);
    await until(() => agent.marks.length === 1);
    expect(soundOf(far.takeHeard())).toEqual([...speech]);
    expect(agent.marks).toEqual([7]);
  });

  it('lets two agents hear the far end and each other, but not themselves', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    const first = new TestAgent(far.call);
    const second = new TestAgent(far.call);
    first.audio.listen(8_000);
    second.audio.listen(8_000);
    // Before the first tick, and longer than a busy machine stalls: neither agent may hear silence.
    first.audio.write(new Int16Array(1_600).fill(1_000), 8_000);
    far.says.write(new Int16Array(32_000).fill(10), 0, 32_000, 8_000);
    await far.open();
    await until(() => first.frames.length > 40 && second.frames.length > 40);
    const values = (frames: Buffer[]) => new Set(frames.map((frame) => frame.readInt16LE(0)));
    expect(values(first.frames)).toEqual(new Set([10]));
    expect(values(second.frames)).toEqual(new Set([10, 1_010]));
  });

  it('reports why its media did not open, and may try again', async () => {
    ({ engine } = await startTestEngine());
    const call = engine.place('call_1', { ended: () => {}, turned: () => {}, heard: () => {} });
    const memory = ringMemory(256);
    const open = { sampleRateHz: 8_000, says: memory, hears: memory, failToOpen: 'EADDRINUSE' };
    await expect(call.media.open(TEST_MEDIA, open, () => {})).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const other = { ...TEST_MEDIA, kind: 'nonsense' };
    await expect(call.media.open(other, open, () => {})).rejects.toThrow('no media leg of kind nonsense');
    await call.close();
  });

  it('answers commands with their values or errors, and reports events and signals', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    await far.open();
    await far.run('succeed');
    await expect(far.run('reject')).rejects.toMatchObject({
      message: 'rejected',
      code: 'ETEST',
    });
    await expect(far.media.configure('bad')).rejects.toThrow('bad configuration');
    await expect(far.media.command('add', 2, 3)).resolves.toBe(5);
    await far.run('emit');
    await far.run('signal');
    await until(() => far.events.length === 2);
    expect(far.events).toEqual([
      { type: 'dtmf', digit: '5' },
      { type: 'signal', signal: { speaking: true } },
    ]);
  });

  it('reports how its audio is doing, also after an agent has left', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    await expect(far.call.report()).rejects.toMatchObject({ code: 'call_not_active' });
    const [brief, long] = [new TestAgent(far.call), new TestAgent(far.call)];
    await far.open();
    await far.run('count');
    const none = { level: 0, delayMs: 0, underruns: 0, shortenedMs: 0, lengthenedMs: 0 };
    expect(await far.call.report()).toEqual({ received: { ...COUNTED, level: 0 }, sent: none });
    // Far more than fits into the ring; the queue of the other agent is shorter.
    long.audio.write(new Int16Array(80_000).fill(500), 8_000);
    brief.audio.write(new Int16Array(8_000).fill(500), 8_000);
    const { sent } = await far.call.report();
    // What moves into the ring meanwhile may be counted twice.
    expect(Math.abs(sent.delayMs - 9_000)).toBeLessThan(2_000);
    long.audio.close();
    expect((await far.call.report()).sent.delayMs).toBeLessThan(2_000);
    // The stream goes on too late, which is an underrun.
    const underruns = async () => (await far.call.report()).sent.underruns;
    await until(() => brief.audio.queuedMs === 0);
    await sleep(60);
    brief.audio.write(new Int16Array(800).fill(500), 8_000);
    await until(() => brief.audio.queuedMs === 0);
    expect(await underruns()).toBe(1);
    brief.audio.close();
    expect(await underruns()).toBe(1);
    await far.call.close();
    await expect(far.call.report()).rejects.toMatchObject({ code: 'call_not_active' });
  });

  it('closes at any moment, twice, and leaves nothing behind', async () => {
    ({ engine } = await startTestEngine());
    const unopened = new TestCall(engine, 'call_1');
    await unopened.call.close();
    const opening = new TestCall(engine, 'call_2');
    const opened = opening.open();
    opened.catch(() => {});
    await Promise.all([opening.call.close(), opening.call.close()]);
    const open = new TestCall(engine, 'call_3');
    await open.open();
    const waiting = open.run('hang');
    waiting.catch(() => {});
    await open.call.close();
    await expect(waiting).rejects.toMatchObject({ code: 'call_not_active' });
    expect(engine.report().total.calls).toBe(0);
    expect([unopened, opening, open].flatMap(({ terminations }) => terminations)).toEqual([]);
  });

  it('completes a command issued just before the close', async () => {
    ({ engine } = await startTestEngine());
    for (let n = 0; n < 50; n++) {
      const far = new TestCall(engine, `call_${n}`);
      await far.open();
      const last = far.run('last');
      await Promise.all([last, far.call.close()]);
    }
  });

  it('releases a call whose media opens only after the close timed out', async () => {
    ({ engine } = await startTestEngine());
    const slow = new TestCall(engine, 'call_1', 8_000, { openAfterMs: 3_300 });
    const after = new TestCall(engine, 'call_2', 8_000, { openAfterMs: 3_400 });
    slow.open().catch(() => {});
    const opened = after.open();
    await slow.call.close();
    await opened;
    const report = () => (engine as Engine).report().total.calls;
    await until(() => report() === 1);
    await after.call.close();
    expect(report()).toBe(0);
  });

  it('has a thread of its own when configured so', async () => {
    const started = await startTestEngine({ callsPerThread: 1 });
    engine = started.engine;
    const calls = [1, 2, 3].map((n) => new TestCall(started.engine, `call_${n}`));
    await Promise.all(calls.map((call) => call.open()));
    expect(engine.report().workers.map(({ numbers }) => numbers.calls)).toEqual([1, 1, 1]);
  });

  it('keeps consistent statistics', async () => {
    ({ engine } = await startTestEngine({ threads: 2 }));
    const far = new TestCall(engine, 'call_1');
    await far.open();
    far.says.write(new Int16Array(8_000).fill(10), 0, 8_000, 8_000);
    await until(() => engine!.report().total.packets_received === 50);
    // The workers go on while they are read, so a tick may be in one number and not yet in the next.
    await until(() => {
      const { total, workers } = engine!.report();
      const ofWorkers = workers.reduce((sum, { numbers }) => sum + numbers.ticks, 0);
      return ofWorkers === total.ticks && sumOf(total.latenessCounts) === total.ticks;
    });
    const { total } = engine.report();
    expect(total).toMatchObject({ calls: 1, agent_legs: 0, frames_in: 50, packets_lost: 0 });
  });
});

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count);
}
