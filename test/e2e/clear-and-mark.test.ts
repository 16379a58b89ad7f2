import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { type CallPair, GatewayPair } from '../support/gateway-pair.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { tone } from '../support/tone.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const SAMPLE_RATE_HZ = 16_000;
/** The delay of a frame from one gateway's clock to the far agent: jitter buffer, two ticks, and a busy machine. */
const WAY_MS = 400;

describe('clear and mark', { retry }, () => {
  let pair: GatewayPair;
  let calls: CallPair;
  let agent: Agent;
  let far: Agent;

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());
  beforeEach(async () => {
    calls = await pair.connect();
    const options = { sampleRateHz: SAMPLE_RATE_HZ };
    agent = await Agent.join(calls.outbound.audio.stream_url, pair.caller.agentKey, options);
    far = await Agent.join(calls.inbound.audio.stream_url, pair.callee.agentKey, options);
  });
  afterEach(async () => {
    await pair.hangUp(calls);
    await Promise.all([agent.closed, far.closed]);
  });

  const speak = (lengthMs: number) =>
    agent.speak(tone(440, SAMPLE_RATE_HZ, (SAMPLE_RATE_HZ * lengthMs) / 1000));
  const voiced = () => far.heard.filter(isVoiced);
  const voicedMs = () => voiced().length * 20;
  const hearVoice = (lengthMs: number) =>
    waitFor(`${lengthMs} ms of voice at the far end`, () => voicedMs() >= lengthMs, lengthMs + 30_000);
  const hearSilence = () => waitFor('silence', () => far.heard.slice(-10).every((frame) => !isVoiced(frame)));

  it('echoes marks in order, each when its audio has been played', async () => {
    speak(1000);
    agent.mark('one');
    agent.mark('one and a half');
    speak(1000);
    agent.mark('two');
    const echoedAtMs: number[] = [];
    for (const name of ['one', 'one and a half', 'two']) {
      expect(await agent.waitFor('mark')).toEqual({ type: 'mark', name });
      echoedAtMs.push(performance.now());
    }
    await hearVoice(1960);
    await hearSilence();
    const [first, , last] = echoedAtMs;
    // The far end hears later than the near end plays: a mark echoed at the start would be 1000 ms early.
    const atMs = (frame: number) => voiced()[frame]!.atMs;
    expect(atMs(49) - first!).toBeGreaterThan(-WAY_MS);
    expect(atMs(49) - first!).toBeLessThan(WAY_MS);
    expect(voiced().at(-1)!.atMs - last!).toBeGreaterThan(-WAY_MS);
    expect(voiced().at(-1)!.atMs - last!).toBeLessThan(WAY_MS);
  });

  it('echoes a mark at once when no audio is queued', async () => {
    agent.mark('now');
    await agent.waitFor('mark', { name: 'now' });
    agent.mark('again');
    await agent.waitFor('mark', { name: 'again' });
  });

  it('keeps twenty marks within one utterance in order', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    for (const name of names) {
      speak(50);
      agent.mark(name);
    }
    await agent.waitFor('mark', { name: names.at(-1) });
    const told = agent.events.filter(({ type }) => type === 'mark').map(({ name }) => name);
    expect(told).toEqual(names);
  });

  it('drops unplayed audio, reports how much, and falls silent at once', async () => {
    speak(5000);
    await hearVoice(600);
    agent.clear();
    const { played_ms: played, dropped_ms: dropped } = await agent.waitFor('cleared');
    const clearedAtMs = performance.now();
    expect(Number(played) + Number(dropped)).toBe(5000);
    await hearSilence();
    expect(voiced().at(-1)!.atMs - clearedAtMs).toBeLessThan(20 + WAY_MS);
    // What was counted as played is what the far end has heard: one frame more or less at each edge.
    expect(Math.abs(voicedMs() - Number(played))).toBeLessThanOrEqual(60);
  });

  it('holds audio, tells how much was played, and goes on with all the rest', async () => {
    speak(1500);
    await hearVoice(400);
    agent.send({ type: 'pause' });
    const paused = await agent.waitFor('paused');
    await hearSilence();
    // What was counted as played is what the far end has heard.
    expect(Math.abs(voicedMs() - Number(paused.played_ms))).toBeLessThanOrEqual(60);
    agent.send({ type: 'resume' });
    const resumed = await agent.waitFor('resumed');
    expect(resumed.played_ms).toBe(paused.played_ms);
    await hearVoice(1440);
    await hearSilence();
    expect(voicedMs()).toBeLessThanOrEqual(1560);
    speak(1000);
    agent.send({ type: 'pause' });
    const { played_ms } = await agent.waitFor('paused', {});
    agent.clear();
    const cleared = await agent.waitFor('cleared');
    expect(cleared).toMatchObject({ played_ms, dropped_ms: 2500 - Number(played_ms) });
  });

  it('counts played and dropped audio from one clear to the next', async () => {
    const cleared = async () => {
      agent.clear();
      const { played_ms, dropped_ms } = await agent.waitFor('cleared');
      return [Number(played_ms), Number(dropped_ms)] as const;
    };
    expect(await cleared()).toEqual([0, 0]);
    speak(300);
    agent.mark('played out');
    await agent.waitFor('mark', { name: 'played out' });
    speak(1000);
    const [played, dropped] = await cleared();
    expect(played + dropped).toBe(1300);
    expect(played).toBeGreaterThanOrEqual(300);
    expect(await cleared()).toEqual([0, 0]);
    speak(500);
    await hearVoice(300 + 200);
    const [playedThen, droppedThen] = await cleared();
    expect(playedThen + droppedThen).toBe(500);
  });

  it('discards the marks of dropped audio, and plays later audio', async () => {
    speak(5000);
    agent.mark('dropped');
    await hearVoice(200);
    agent.clear();
    speak(400);
    agent.mark('after');
    await agent.waitFor('cleared');
    await agent.waitFor('mark', { name: 'after' });
    await hearSilence();
    expect(agent.events.filter(({ type }) => type === 'mark')).toEqual([{ type: 'mark', name: 'after' }]);
    expect(voicedMs()).toBeLessThan(3000);
  });

  it('limits the number of pending marks', async () => {
    speak(10_000);
    for (let index = 0; index <= 1024; index++) agent.mark(`${index}`);
    expect(await agent.waitFor('call_error')).toMatchObject({ code: 'too_many_marks' });
    agent.clear();
    await agent.waitFor('cleared');
    agent.mark('room again');
    await agent.waitFor('mark', { name: 'room again' });
  });
});
