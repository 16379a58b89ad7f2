import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { OpusAgent } from '../support/opus-agent.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const OPUS_TOO = { env: { SVC_SIP_CODECS: 'opus,PCMU,PCMA' } };
const G711_ONLY = { env: { SVC_SIP_CODECS: 'PCMU' } };
const AHEAD_MS = 200;
const SETTLING_FRAMES = 50;
const HEARD_FRAMES = 100;
/** What streamTone speaks with. */
const SPOKEN_AMPLITUDE = 10_000;

let pair: GatewayPair | null = null;

afterEach(async () => {
  await pair?.stop();
  pair = null;
});

interface Voice {
  readonly sampleRateHz: number;
  readonly toneHz: number;
}

/** A call in which both sides speak a tone; returns the room's rates and what each side heard of the other. */
async function talk(gateways: GatewayPair, caller: Voice, callee: Voice) {
  const { outbound, inbound } = await gateways.connect();
  const near = await Agent.join(outbound.audio.stream_url, gateways.caller.agentKey, caller);
  const far = await Agent.join(inbound.audio.stream_url, gateways.callee.agentKey, callee);
  const tones = [streamTone(near, caller.toneHz, AHEAD_MS), streamTone(far, callee.toneHz, AHEAD_MS)];
  await Promise.all([near.hear(SETTLING_FRAMES), far.hear(SETTLING_FRAMES)]);
  const [atNear, atFar] = await Promise.all([near.hear(HEARD_FRAMES), far.hear(HEARD_FRAMES)]);
  for (const tone of tones) tone.stop();
  await gateways.hangUp({ outbound, inbound });
  expect([...near.errors, ...far.errors]).toEqual([]);
  return {
    ratesHz: [outbound.audio.sample_rate, inbound.audio.sample_rate],
    near: { ...analyzeTone(atNear, caller.sampleRateHz, callee.toneHz), samples: atNear },
    far: { ...analyzeTone(atFar, callee.sampleRateHz, caller.toneHz), samples: atFar },
  };
}

describe('a call over Opus', { retry }, () => {
  it('names its libopus in the metrics', async () => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: OPUS_TOO });
    expect(await pair.caller.metric('svc_engine_opus_threads')).toBe(null);
    await pair.connect();
    const { body } = await pair.caller.api(null).get('/metrics');
    expect(`${body}`).toMatch(/^svc_engine_opus_threads\{library="(libopus \d.*|WebAssembly .*)"\} 1$/m);
  });

  it.each([
    [48_000, 48_000],
    [48_000, 16_000],
    [16_000, 48_000],
  ])('carries frequencies beyond G.711 between agents at %i and %i Hz', async (callerHz, calleeHz) => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: OPUS_TOO });
    const caller = { sampleRateHz: callerHz, toneHz: 1_000 };
    const callee = { sampleRateHz: calleeHz, toneHz: 5_000 };
    const { ratesHz, near, far } = await talk(pair, caller, callee);
    expect(ratesHz).toEqual([48_000, 48_000]);
    // At 24 kbit/s a high tone comes out rougher than one where voices are.
    expect(near.snrDb).toBeGreaterThan(15);
    expect(far.snrDb).toBeGreaterThan(30);
    for (const heard of [near, far]) {
      expect(heard.amplitude).toBeGreaterThan(SPOKEN_AMPLITUDE * 0.85);
      expect(heard.amplitude).toBeLessThan(SPOKEN_AMPLITUDE * 1.15);
      expect(heard.lengthMs).toBeGreaterThan(HEARD_FRAMES * 20 - 300);
    }
    expect(findToneBreaks(far.samples, calleeHz, 1_000)).toEqual([]);
  });

  it('reports 48 kHz frames, even after it was refused', async () => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: OPUS_TOO });
    const { outbound, inbound } = await pair.ring();
    expect(outbound.audio).toMatchObject({ sample_rate: 48_000, frame_bytes: 1_920 });
    await pair.callee.agentApi.post(`/api/call/${inbound.call_id}/refuse`);
    const refused = await waitFor('the refused call', async () => {
      const { body } = await pair!.callee.agentApi.get(`/api/call/${inbound.call_id}`);
      return body.state === 'refused' && body;
    });
    expect(refused.audio).toMatchObject({ sample_rate: 48_000, frame_bytes: 1_920 });
  });

  it('carries DTMF digits both ways, each once and in order', async () => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: OPUS_TOO });
    const { outbound, inbound } = await pair.connect();
    const { caller, callee } = pair;
    const near = await Agent.join(outbound.audio.stream_url, caller.agentKey, { sampleRateHz: 48_000 });
    const far = await Agent.join(inbound.audio.stream_url, callee.agentKey, { sampleRateHz: 48_000 });
    const keysOf = ({ events }: Agent) =>
      events.flatMap((event) => (event.type === 'dtmf' ? [event.digit] : [])).join('');
    await caller.agentApi.post(`/api/call/${outbound.call_id}/dtmf`, { digits: '1159*#' });
    await waitFor('keys at the callee', () => keysOf(far).length >= 6);
    await callee.agentApi.post(`/api/call/${inbound.call_id}/dtmf`, { digits: '2026#' });
    await waitFor('keys at the caller', () => keysOf(near).length >= 5);
    await pair.hangUp({ outbound, inbound });
    expect([keysOf(near), keysOf(far)]).toEqual(['2026#', '1159*#']);
  });

  it('works over SRTP when the trunk requires it', async () => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: OPUS_TOO });
    const { caller, callee } = pair;
    await caller.putTrunk({ host: '127.0.0.1', port: callee.sipPort, srtp: 'required' });
    await callee.putTrunk({ host: '127.0.0.1', port: caller.sipPort, srtp: 'required' });
    const voice = { sampleRateHz: 48_000, toneHz: 1_000 };
    const { ratesHz, near, far } = await talk(pair, voice, voice);
    expect(ratesHz).toEqual([48_000, 48_000]);
    expect(near.snrDb).toBeGreaterThan(30);
    expect(far.snrDb).toBeGreaterThan(30);
  });
});

describe('a call between gateways of which one lacks Opus', { retry }, () => {
  it('uses G.711 when the callee lacks it, with the caller’s room at 48 kHz', async () => {
    pair = await GatewayPair.start({ caller: OPUS_TOO, callee: G711_ONLY });
    const caller = { sampleRateHz: 48_000, toneHz: 1_000 };
    const { ratesHz, near, far } = await talk(pair, caller, { sampleRateHz: 16_000, toneHz: 700 });
    expect(ratesHz).toEqual([48_000, 8_000]);
    expect(near.snrDb).toBeGreaterThan(30);
    expect(far.snrDb).toBeGreaterThan(30);
  });

  it('uses G.711 when the caller lacks it, with both rooms at 8 kHz', async () => {
    pair = await GatewayPair.start({ caller: G711_ONLY, callee: OPUS_TOO });
    const { ratesHz, near, far } = await talk(
      pair,
      { sampleRateHz: 8_000, toneHz: 1_000 },
      { sampleRateHz: 48_000, toneHz: 700 },
    );
    expect(ratesHz).toEqual([8_000, 8_000]);
    expect(near.snrDb).toBeGreaterThan(30);
    expect(far.snrDb).toBeGreaterThan(30);
  });
});

describe('an agent that speaks Opus', { retry }, () => {
  it.each([
    ['as it comes from a call over Opus', OPUS_TOO],
    ['made from a call over G.711', G711_ONLY],
  ])('hears it %s, and is heard', async (_how, options) => {
    pair = await GatewayPair.start({ caller: options, callee: options });
    const { outbound, inbound } = await pair.connect();
    const near = await OpusAgent.join(outbound.audio.stream_url, pair.caller.agentKey);
    const far = await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz: 16_000 });
    const tones = [near.startTone(1_000), streamTone(far, 709, AHEAD_MS)];
    await Promise.all([near.hear(SETTLING_FRAMES), far.hear(SETTLING_FRAMES)]);
    const [atNear, atFar] = await Promise.all([near.hear(HEARD_FRAMES), far.hear(HEARD_FRAMES)]);
    for (const tone of tones) tone.stop();
    expect(near.events.filter(({ type }) => type === 'call_error')).toEqual([]);
    for (const report of [analyzeTone(atNear, 48_000, 709), analyzeTone(atFar, 16_000, 1_000)]) {
      expect(report.snrDb).toBeGreaterThan(15);
      expect(report.lengthMs).toBeGreaterThan(HEARD_FRAMES * 20 - 300);
    }
    near.close();
  });
});
