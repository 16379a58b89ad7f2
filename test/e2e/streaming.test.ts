import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent, HeardFrame } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { connectAgents, type HeardTone, heardTone, undisturbed } from '../support/heard-tone.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';

const SAMPLE_RATE_HZ = 16_000;
const FRAMES = 1_500;
const DEADLINE_MS = 60_000;

/** Looked at only when all is recorded, because a test process that computes does not read its sockets. */
describe('half a minute of audio', () => {
  let pair: GatewayPair;
  let streams: readonly HeardTone[];

  beforeAll(async () => {
    pair = await GatewayPair.start();
    streams = await undisturbed(pair, async () =>
      (await Promise.all([record(517, 709), record(1_103, 883)])).flat(),
    );
  }, 4 * DEADLINE_MS);
  afterAll(() => pair?.stop());

  async function record(nearToneHz: number, farToneHz: number): Promise<HeardTone[]> {
    const [near, far] = await connectAgents(pair, SAMPLE_RATE_HZ);
    const tones = [streamTone(near, nearToneHz, 200), streamTone(far, farToneHz, 200)];
    await Promise.all([near.hear(50), far.hear(50)]);
    const listen = async (agent: Agent, toneHz: number) => {
      const from = agent.heard.length;
      await agent.hear(FRAMES, DEADLINE_MS);
      return heardTone(agent, toneHz, from, from + FRAMES);
    };
    const heard = await Promise.all([listen(near, farToneHz), listen(far, nearToneHz)]);
    for (const tone of tones) tone.stop();
    return heard;
  }

  it(`has ${FRAMES} frames, both ways and on two calls`, () => {
    for (const { frames } of streams) {
      expect(Math.abs(framesInTime(frames) - FRAMES)).toBeLessThanOrEqual(1);
    }
  });

  it('has no gap, both ways and on two calls', () => {
    for (const { samples, toneHz, errors } of streams) {
      expect(errors).toEqual([]);
      expect(findToneBreaks(samples, SAMPLE_RATE_HZ, toneHz)).toEqual([]);
      const { snrDb, lengthMs } = analyzeTone(samples, SAMPLE_RATE_HZ, toneHz);
      expect(snrDb).toBeGreaterThan(30);
      expect(lengthMs).toBeGreaterThan(FRAMES * 20 - 1_000);
    }
  });
});

/** How many frames would have come in the time of all, by the least delayed ones of the first and the last second. */
function framesInTime(frames: readonly HeardFrame[]): number {
  const delays = frames.map(({ atMs }, index) => atMs - index * 20);
  const drift = Math.min(...delays.slice(-50)) - Math.min(...delays.slice(0, 50));
  return frames.length - drift / 20;
}
