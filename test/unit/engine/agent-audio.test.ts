import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/threads/engine.ts';
import { retryAudio } from '../../support/stall-probe.ts';
import { startTestEngine, TestAgent, TestCall, until } from './support/test-engine.ts';

const retry = retryAudio();

let engine: Engine | null = null;
afterEach(async () => {
  await engine?.close(1_000);
  engine = null;
});

async function callWithAgent(): Promise<{ far: TestCall; agent: TestAgent }> {
  ({ engine } = await startTestEngine());
  const far = new TestCall(engine, 'call_1');
  const agent = new TestAgent(far.call);
  await far.open();
  return { far, agent };
}

describe('agent audio', () => {
  it('is cleared at any moment, and reports everything written since the last clear', async () => {
    const { agent } = await callWithAgent();
    agent.audio.clear();
    await until(() => agent.clears.length === 1);
    expect(agent.clears[0]).toEqual({ playedMs: 0, droppedMs: 0 });
    agent.audio.write(new Int16Array(16_000 * 5).fill(500), 16_000);
    agent.audio.mark(1);
    await until(() => agent.audio.queuedMs < 4_900);
    agent.audio.clear();
    agent.audio.write(new Int16Array(800).fill(500), 8_000);
    agent.audio.mark(2);
    await until(() => agent.clears.length === 2 && agent.marks.length === 1);
    const second = agent.clears[1]!;
    expect(second.playedMs + second.droppedMs).toBe(5_000);
    expect(second.playedMs).toBeGreaterThan(20);
    expect(second.playedMs).toBeLessThan(1_000);
    expect(agent.marks).toEqual([2]);
    agent.audio.clear();
    await until(() => agent.clears.length === 3);
    expect(agent.clears[2]).toEqual({ playedMs: 100, droppedMs: 0 });
  });

  it('is held at any moment, tells how much was played, and goes on where it stopped', async () => {
    const { far, agent } = await callWithAgent();
    const speech = Int16Array.from({ length: 8_000 }, (_, i) => 1 + i);
    agent.audio.write(speech, 8_000);
    agent.audio.mark(1);
    await until(() => agent.audio.queuedMs < 800);
    agent.audio.hold(true);
    await until(() => agent.holds.length === 1);
    const { playedMs } = agent.holds[0]!;
    const before = far.takeHeard().filter((sample) => sample !== 0);
    const { queuedMs } = agent.audio;
    agent.audio.hold(true);
    await until(() => agent.holds.length === 2);
    expect(agent.holds[1]).toEqual({ isHeld: true, playedMs });
    expect(agent.audio.queuedMs).toBe(queuedMs);
    agent.audio.hold(false);
    await until(() => agent.marks.length === 1);
    expect(agent.holds[2]).toEqual({ isHeld: false, playedMs });
    const after = far.takeHeard().filter((sample) => sample !== 0);
    expect([...before, ...after]).toEqual([...speech]);
    expect(Math.abs(before.length - playedMs * 8)).toBeLessThanOrEqual(160);
  });

  it('is dropped without a sound while it is held, and what follows is played', async () => {
    const { far, agent } = await callWithAgent();
    agent.audio.write(new Int16Array(8_000).fill(500), 8_000);
    await until(() => agent.audio.queuedMs < 900);
    agent.audio.hold(true);
    await until(() => agent.holds.length === 1);
    far.takeHeard();
    agent.audio.clear();
    agent.audio.write(new Int16Array(800).fill(700), 8_000);
    agent.audio.mark(1);
    await until(() => agent.marks.length === 1);
    const heard = far.takeHeard().filter((sample) => sample !== 0);
    expect([...heard]).toEqual(new Array(800).fill(700));
    expect(agent.clears[0]!.playedMs).toBe(agent.holds[0]!.playedMs);
    expect(agent.clears[0]!.playedMs + agent.clears[0]!.droppedMs).toBe(1_000);
  });

  it('plays without a gap when it is longer than the ring', { retry }, async () => {
    const { far, agent } = await callWithAgent();
    const speech = Int16Array.from({ length: 48_000 * 2 }, () => 1_000);
    agent.audio.write(speech, 48_000);
    agent.audio.mark(9);
    await until(() => agent.marks.length === 1);
    const heard = [...far.takeHeard()].map((sample) => sample > 500);
    const first = heard.indexOf(true);
    const last = heard.lastIndexOf(true);
    expect(heard.slice(first, last + 1).every(Boolean)).toBe(true);
    expect(Math.abs(last + 1 - first - 16_000)).toBeLessThan(40);
  });

  it('is held until the call is answered, and then played first', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    const agent = new TestAgent(far.call);
    agent.audio.listen(8_000);
    agent.audio.write(new Int16Array(1_600).fill(7), 8_000);
    await far.openSilently();
    await until(() => far.hears.queuedSamples > 1_600);
    expect(far.takeHeard().some((sample) => sample !== 0)).toBe(false);
    expect(agent.frames).toEqual([]);
    far.call.startAudio();
    agent.audio.mark(1);
    await until(() => agent.marks.length === 1 && agent.frames.length > 5);
    expect([...far.takeHeard()].filter((sample) => sample === 7)).toHaveLength(1_600);
  });

  it('is heard and not sent while a call that is not answered has audio', async () => {
    ({ engine } = await startTestEngine());
    const far = new TestCall(engine, 'call_1');
    const agent = new TestAgent(far.call);
    agent.audio.listen(8_000);
    agent.audio.write(new Int16Array(1_600).fill(7), 8_000);
    agent.audio.mark(1);
    await far.openSilently();
    far.call.startListening();
    const announcing = setInterval(() => far.says.write(new Int16Array(160).fill(1_000), 0, 160, 8_000), 20);
    try {
      await until(() => agent.frames.filter((frame) => frame.readInt16LE(0) > 900).length > 10);
      const late = new TestAgent(far.call);
      late.audio.listen(8_000);
      late.audio.write(new Int16Array(160).fill(7), 8_000);
      await until(() => late.frames.length > 5);
      agent.audio.close();
      await until(() => late.frames.length > 10);
      expect(far.takeHeard().some((sample) => sample !== 0)).toBe(false);
      expect(agent.marks).toEqual([]);
      far.call.startAudio();
      far.call.startListening();
      late.audio.mark(2);
      await until(() => late.marks.length === 1);
      expect([...far.takeHeard()].filter((sample) => sample === 7)).toHaveLength(160);
    } finally {
      clearInterval(announcing);
    }
  });

  it('is heard after the call has moved to another thread before its answer', async () => {
    const { engine: started } = await startTestEngine();
    engine = started;
    const far = new TestCall(engine, 'call_1');
    const agent = new TestAgent(far.call);
    agent.audio.listen(8_000);
    agent.audio.write(new Int16Array(1_600).fill(7), 8_000);
    await far.openSilently();
    far.call.startListening();
    await until(() => agent.frames.length > 3);
    await far.run('exit').catch(() => {});
    const before = agent.frames.length;
    await until(() => agent.frames.length > before + 10);
    expect(far.takeHeard().some((sample) => sample !== 0)).toBe(false);
  });

  it('is delivered at the requested rate, which can change and stop', async () => {
    const { far, agent } = await callWithAgent();
    const talking = setInterval(() => far.says.write(new Int16Array(160).fill(1_000), 0, 160, 8_000), 20);
    try {
      for (const [rateHz, bytes] of [
        [44_100, 1_764],
        [8_000, 320],
        [24_000, 960],
      ] as const) {
        agent.audio.listen(rateHz);
        await until(() => agent.frames.at(-1)?.length === bytes && agent.frames.at(-1)!.readInt16LE(0) > 900);
      }
      agent.audio.listen(null);
      agent.frames.length = 0;
      const other = new TestAgent(far.call);
      other.audio.listen(8_000);
      await until(() => other.frames.length > 5);
      expect(agent.frames).toEqual([]);
    } finally {
      clearInterval(talking);
    }
  });

  it('reports how much a slow reader missed, without affecting the others', async () => {
    const { far, agent } = await callWithAgent();
    const other = new TestAgent(far.call);
    agent.audio.listen(8_000);
    other.audio.listen(8_000);
    await until(() => agent.frames.length > 3);
    agent.busy = true;
    const otherBefore = other.frames.length;
    const missedFrom = agent.frames.length;
    await until(() => other.frames.length - otherBefore >= 50);
    agent.busy = false;
    await until(() => agent.overrunMs > 0 && agent.frames.length > missedFrom + 5);
    const missedMs = agent.overrunMs;
    expect(Math.abs((other.frames.length - agent.frames.length) * 20 - missedMs)).toBeLessThanOrEqual(40);
    expect(other.overrunMs).toBe(0);
  });

  it('sends nothing after it is closed', async () => {
    const { far, agent } = await callWithAgent();
    agent.audio.listen(8_000);
    await until(() => agent.frames.length > 0);
    agent.audio.close();
    agent.audio.close();
    agent.frames.length = 0;
    const other = new TestAgent(far.call);
    other.audio.listen(8_000);
    await until(() => other.frames.length > 3);
    expect(agent.frames).toEqual([]);
    expect(engine?.report().total.agent_legs).toBe(1);
  });
});
