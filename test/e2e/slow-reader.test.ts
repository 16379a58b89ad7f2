import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent, type HeardFrame } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { Slowdown } from '../support/slowdown.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { findToneBreaks, toneLevelDb } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const SAMPLE_RATE_HZ = 48_000;
const FIRST_TONE_HZ = 440;
const SECOND_TONE_HZ = 1250;
const PAUSE_FRAMES = 150;
/** On a busy machine this process is held up for longer than 100 ms. */
const AHEAD_MS = 500;

describe('an agent that stops reading', { retry }, () => {
  let pair: GatewayPair;

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());

  const join = (url: string, key: string) => Agent.join(url, key, { sampleRateHz: SAMPLE_RATE_HZ });

  it('loses its oldest audio and is notified; other agents lose none', async () => {
    const [calls, others] = [await pair.connect(), await pair.connect()];
    const speaker = await join(calls.inbound.audio.stream_url, pair.callee.agentKey);
    const otherSpeaker = await join(others.inbound.audio.stream_url, pair.callee.agentKey);
    const slow = await join(calls.outbound.audio.stream_url, pair.caller.agentKey);
    const beside = await join(calls.outbound.audio.stream_url, pair.caller.agentKey);
    const elsewhere = await join(others.outbound.audio.stream_url, pair.caller.agentKey);
    const first = streamTone(speaker, FIRST_TONE_HZ, AHEAD_MS);
    const other = streamTone(otherSpeaker, FIRST_TONE_HZ, AHEAD_MS);
    await Promise.all([slow, beside, elsewhere].map((agent) => agent.hear(50)));

    const from = { beside: beside.heard.length, elsewhere: elsewhere.heard.length };
    slow.pauseReading();
    const pausedAtMs = performance.now();
    await beside.hear(PAUSE_FRAMES);
    slow.resumeReading();
    const pausedMs = performance.now() - pausedAtMs;
    const overrun = await slow.waitFor('call_error');
    expect(overrun).toMatchObject({
      code: 'audio_overrun',
      message: expect.stringContaining(`${overrun.lost_ms} ms`),
    });

    // Fresh again: a change of tone reaches the slow agent as soon as the one beside it.
    await slow.hear(25);
    first.stop();
    speaker.clear();
    await speaker.waitFor('cleared');
    const slowdown = new Slowdown(pair.caller.pid, pair.callee.pid, process.pid);
    const second = streamTone(speaker, SECOND_TONE_HZ, AHEAD_MS);
    const heardSecond = (agent: Agent) =>
      waitFor('the second tone', () => agent.heard.slice(-50).find(isSecondTone)?.atMs);
    const [slowAtMs, besideAtMs] = await Promise.all([heardSecond(slow), heardSecond(beside)]);
    expect(slowAtMs - besideAtMs).toBeLessThan(250 * slowdown.factor);
    await Promise.all([beside, elsewhere].map((agent) => agent.hear(25)));
    second.stop();
    other.stop();

    // Reported in all: the pause, except what the sockets held and the 200 ms that are kept.
    const lostMs = slow.events
      .filter(({ code }) => code === 'audio_overrun')
      .reduce((sum, { lost_ms }) => sum + Number(lost_ms), 0);
    expect(lostMs).toBeGreaterThan(pausedMs - 1_000);
    expect(lostMs).toBeLessThan(pausedMs + 200);
    for (const agent of [beside, elsewhere]) {
      expect(agent.errors).toEqual([]);
    }
    expect(
      findToneBreaks(beside.heardSamples(0, from.beside + PAUSE_FRAMES), SAMPLE_RATE_HZ, FIRST_TONE_HZ),
    ).toEqual([]);
    expect(findToneBreaks(elsewhere.heardSamples(), SAMPLE_RATE_HZ, FIRST_TONE_HZ)).toEqual([]);
    for (const heard of [beside.heard.slice(from.beside), elsewhere.heard.slice(from.elsewhere)]) {
      const elapsedMs = heard.at(-1)!.atMs - heard[0]!.atMs;
      expect(Math.abs(heard.length - 1 - elapsedMs / 20)).toBeLessThanOrEqual(3);
    }
    await pair.hangUp(calls);
    await pair.hangUp(others);
  });
});

function isSecondTone({ samples }: HeardFrame): boolean {
  return toneLevelDb(samples, SAMPLE_RATE_HZ, SECOND_TONE_HZ) > -20;
}
