import { expect, it, onTestFinished } from 'vitest';
import type { Agent, HeardFrame } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { connectAgents, type HeardTone, heardTone } from '../support/heard-tone.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';

const retry = retryAudio();
const SAMPLE_RATE_HZ = 16_000;
const FRAMES = 500;
const DEADLINE_MS = 60_000;

it(`${FRAMES} frames come in time and without a gap, both ways and on two calls`, { retry }, async () => {
  const pair = await GatewayPair.start();
  onTestFinished(() => pair.stop());
  const streams = await Promise.all([record(pair, 517, 709), record(pair, 1_103, 883)]);
  // Only now, because a test process that computes does not read its sockets.
  for (const { frames, samples, toneHz, errors } of streams.flat()) {
    expect(Math.abs(framesInTime(frames) - FRAMES)).toBeLessThanOrEqual(1);
    expect(errors).toEqual([]);
    expect(findToneBreaks(samples, SAMPLE_RATE_HZ, toneHz)).toEqual([]);
    const { snrDb, lengthMs } = analyzeTone(samples, SAMPLE_RATE_HZ, toneHz);
    expect(snrDb).toBeGreaterThan(30);
    expect(lengthMs).toBeGreaterThan(FRAMES * 20 - 1_000);
  }
});

/** A new call in which both sides speak a tone: what each of them hears. */
async function record(pair: GatewayPair, nearToneHz: number, farToneHz: number): Promise<HeardTone[]> {
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

/** How many frames would have come in the time of all, by the least delayed ones of the first and the last second. */
function framesInTime(frames: readonly HeardFrame[]): number {
  const delays = frames.map(({ atMs }, index) => atMs - index * 20);
  const drift = Math.min(...delays.slice(-50)) - Math.min(...delays.slice(0, 50));
  return frames.length - drift / 20;
}
