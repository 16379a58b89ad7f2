import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, type HeardFrame } from '../support/agent.ts';
import { type CallPair, GatewayPair } from '../support/gateway-pair.ts';
import { tone } from '../support/tone.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const SAMPLE_RATE_HZ = 16_000;
const MINUTE_FRAMES = 3_000;
const MINUTE_DEADLINE_MS = 100_000;
/** One message may hold a mebibyte. */
const MESSAGE_SAMPLES = 500_000;

/** A minute is long: everything that needs one runs beside the others. */
describe('a minute of audio', () => {
  let pair: GatewayPair;

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());

  const join = (url: string, key: string) => Agent.join(url, key, { sampleRateHz: SAMPLE_RATE_HZ });
  async function joinBoth({ outbound, inbound }: CallPair): Promise<[Agent, Agent]> {
    return [
      await join(outbound.audio.stream_url, pair.caller.agentKey),
      await join(inbound.audio.stream_url, pair.callee.agentKey),
    ];
  }

  async function streamsBothWays(nearToneHz: number, farToneHz: number): Promise<void> {
    const calls = await pair.connect();
    const [near, far] = await joinBoth(calls);
    const streams = [streamTone(near, nearToneHz, 200), streamTone(far, farToneHz, 200)];
    await Promise.all([near.hear(50), far.hear(50)]);
    await Promise.all([near, far].map((agent) => agent.hear(MINUTE_FRAMES, MINUTE_DEADLINE_MS)));
    for (const stream of streams) stream.stop();
    for (const [agent, toneHz] of [
      [near, farToneHz],
      [far, nearToneHz],
    ] as const) {
      const minute = agent.heard.slice(-MINUTE_FRAMES);
      expect(Math.abs(framesPerMinute(minute) - MINUTE_FRAMES)).toBeLessThanOrEqual(1);
      const heard = agent.heardSamples(agent.heard.length - MINUTE_FRAMES);
      expect(findToneBreaks(heard, SAMPLE_RATE_HZ, toneHz)).toEqual([]);
      const { snrDb, lengthMs } = analyzeTone(heard, SAMPLE_RATE_HZ, toneHz);
      expect(snrDb).toBeGreaterThan(30);
      expect(lengthMs).toBeGreaterThan(59_000);
      expect(agent.events.filter(({ type }) => type === 'call_error')).toEqual([]);
    }
    await pair.hangUp(calls);
  }

  it.concurrent('has 3000 frames and no gap, both ways', () => streamsBothWays(517, 709), 150_000);

  it.concurrent('has 3000 frames and no gap on a second call', () => streamsBothWays(1103, 883), 150_000);

  it.concurrent('may come all at once; what is more than a minute is refused and told', async () => {
    const calls = await pair.connect();
    const [near, far] = await joinBoth(calls);
    const minute = tone(440, SAMPLE_RATE_HZ, 60 * SAMPLE_RATE_HZ);
    for (let at = 0; at < minute.length; at += MESSAGE_SAMPLES)
      near.speak(minute.subarray(at, at + MESSAGE_SAMPLES));
    near.mark('a minute');
    near.speak(tone(440, SAMPLE_RATE_HZ, 2 * SAMPLE_RATE_HZ));
    const overflow = await near.waitFor('call_error');
    expect(overflow.code).toBe('audio_overflow');
    // The ring before the queue of a minute holds half a second more.
    expect(Number(overflow.lost_ms)).toBeGreaterThan(1_000);
    expect(Number(overflow.lost_ms)).toBeLessThan(2_000);

    await near.waitFor('mark', { name: 'a minute' }, MINUTE_DEADLINE_MS);
    await waitFor('silence', () => far.heard.slice(-25).every((frame) => !isVoiced(frame)), 10_000);
    expect(findToneBreaks(far.heardSamples(), SAMPLE_RATE_HZ, 440)).toEqual([]);
    const heardMs = far.heard.filter(isVoiced).length * 20;
    expect(Math.abs(heardMs - (62_000 - Number(overflow.lost_ms)))).toBeLessThanOrEqual(60);
    await pair.hangUp(calls);
  }, 150_000);
});

/** The rate at which frames came, by the least delayed ones of the first and the last second. */
function framesPerMinute(frames: readonly HeardFrame[]): number {
  const delays = frames.map(({ atMs }, index) => atMs - index * 20);
  const drift = Math.min(...delays.slice(-50)) - Math.min(...delays.slice(0, 50));
  return frames.length - drift / 20;
}
