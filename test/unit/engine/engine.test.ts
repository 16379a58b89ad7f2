import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/threads/engine.ts';
import { startTestEngine, TestAgent, TestCall, until } from './support/test-engine.ts';

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
  it('carries what an agent says to the far end, sample for sample, whatever the message sizes', async () => {
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
    await far.open();
    first.audio.write(new Int16Array(1_600).fill(1_000), 8_000);
    far.says.write(new Int16Array(8_000).fill(10), 0, 8_000, 8_000);
    await until(() => first.frames.length > 40 && second.frames.length > 40);
    const values = (frames: Buffer[]) => new Set(frames.map((frame) => frame.readInt16LE(0)));
    expect(values(first.frames)).toEqual(new Set([10]));
    expect(values(second.frames)).toEqual(new Set([10, 1_010]));
  });
});
