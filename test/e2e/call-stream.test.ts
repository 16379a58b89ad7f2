import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../../src/audio/g711.ts';
import { Agent } from '../support/agent.ts';
import { type CallPair, GatewayPair } from '../support/gateway-pair.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { tone } from '../support/tone.ts';
import { analyzeTone, findToneBreaks, toneLevelDb } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const MAX_MESSAGE_BYTES = 1_048_576;
/** Amplitude of the tones sent, in dB relative to full scale. */
const SENT_DB = 20 * Math.log10(10_000 / 32_767);
/** So high that losing one sample at 48 kHz is a phase jump of 22 degrees. */
const SEAM_TONE_HZ = 2_900;

describe('the call WebSocket', { retry }, () => {
  let pair: GatewayPair;
  let calls: CallPair;
  const agents: Agent[] = [];

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());
  beforeEach(async () => {
    calls = await pair.connect();
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    await pair.hangUp(calls);
  });

  const near = () => calls.outbound.audio.stream_url;
  async function joinNear(sampleRateHz: number, receive = true): Promise<Agent> {
    const agent = await Agent.join(near(), pair.caller.agentKey, { sampleRateHz, receive });
    agents.push(agent);
    return agent;
  }
  async function connectNear(sampleRateHz = 8000): Promise<Agent> {
    const agent = await Agent.connect(near(), pair.caller.agentKey, sampleRateHz);
    agents.push(agent);
    return agent;
  }
  async function joinFar(sampleRateHz: number): Promise<Agent> {
    const url = calls.inbound.audio.stream_url;
    const agent = await Agent.join(url, pair.callee.agentKey, { sampleRateHz });
    agents.push(agent);
    return agent;
  }
  /** Waits until `lengthMs` of voice have come since `agent` was listened to, and silence after it. */
  async function heardOut(agent: Agent, lengthMs: number): Promise<Int16Array> {
    const voicedFrames = () => agent.heard.filter(isVoiced).length;
    await waitFor(`${lengthMs} ms of voice`, () => voicedFrames() * 20 >= lengthMs - 20, lengthMs + 30_000);
    await waitFor('silence', () => agent.heard.slice(-5).every((frame) => !isVoiced(frame)));
    return agent.heardSamples();
  }
  const callLives = async () =>
    (await pair.caller.agentApi.get(`/api/call/${calls.outbound.call_id}`)).body.state === 'active';

  it('opens only for a valid key and a live call', async () => {
    const connect = (url: string, key: string) => Agent.connect(url, key, 8000);
    await expect(connect(near(), '')).rejects.toThrow('401');
    await expect(connect(near(), 'svc_00000000000000000000000000000000')).rejects.toThrow('401');
    await expect(connect(near(), pair.callee.agentKey)).rejects.toThrow('401');
    await expect(connect(near(), pair.caller.settingsKey)).rejects.toThrow('403');
    const unknown = near().replace(calls.outbound.call_id, 'call_unknown');
    await expect(connect(unknown, pair.caller.agentKey)).rejects.toThrow('404');
    const over = await pair.connect();
    await pair.hangUp(over);
    await expect(connect(over.outbound.audio.stream_url, pair.caller.agentKey)).rejects.toThrow('404');
  });

  it('starts with the state of the call and closes when the call ends', async () => {
    const agent = await connectNear();
    expect(await agent.waitFor('call_state')).toEqual({ type: 'call_state', state: 'active' });
    expect(agent.events).toHaveLength(1);
    await pair.hangUp(calls);
    await agent.waitFor('call_state', { state: 'ended' });
    expect(await agent.closed).toBe(1000);
  });

  it('reports that a ringing call becomes active or is refused', async () => {
    for (const [verb, last] of [
      ['accept', 'active'],
      ['refuse', 'refused'],
    ] as const) {
      const ringing = await pair.ring();
      const agent = await Agent.connect(ringing.inbound.audio.stream_url, pair.callee.agentKey, 8000);
      await agent.waitFor('call_state', { state: 'ringing' });
      await pair.callee.agentApi.post(`/api/call/${ringing.inbound.call_id}/${verb}`);
      await agent.waitFor('call_state', { state: last });
      await pair.caller.agentApi.delete(`/api/call/${ringing.outbound.call_id}`);
      expect(await agent.closed).toBe(1000);
    }
  });

  it('answers audio_config with every field, and keeps declared values', async () => {
    const agent = await connectNear();
    const native = {
      type: 'audio_config',
      sample_rate: 8000,
      native_sample_rate: 8000,
      resampling: false,
      format: 'pcm_s16le',
      channels: 1,
      frame_duration_ms: 20,
      frame_bytes: 320,
      ready: true,
    };
    agent.send({ type: 'audio_config' });
    expect(await agent.waitFor('audio_config')).toEqual(native);
    const declared = { ...native, sample_rate: 44_100, resampling: true, frame_bytes: 1764 };
    agent.send({ type: 'audio_config', sample_rate: 44_100 });
    expect(await agent.waitFor('audio_config')).toEqual(declared);
    agent.send({ type: 'audio_config' });
    expect(await agent.waitFor('audio_config')).toEqual(declared);
    expect(agent.heard).toHaveLength(0);
  });

  it('sends audio only while the agent wants to receive it', async () => {
    const agent = await joinNear(16_000, false);
    const witness = await joinNear(8000);
    await witness.hear(25);
    expect(agent.heard).toHaveLength(0);

    agent.send({ type: 'audio_config', receive: true });
    await agent.hear(25);
    expect(new Set(agent.heard.map(({ samples }) => samples.length))).toEqual(new Set([320]));

    agent.send({ type: 'audio_config', sample_rate: 24_000 });
    await agent.waitFor('audio_config', { sample_rate: 24_000 });
    const before = agent.heard.length;
    await agent.hear(25);
    expect(new Set(agent.heard.slice(before + 1).map(({ samples }) => samples.length))).toEqual(
      new Set([480]),
    );

    agent.send({ type: 'audio_config', receive: false });
    await agent.waitFor('audio_config', { sample_rate: 24_000 });
    const after = agent.heard.length;
    await witness.hear(25);
    expect(agent.heard).toHaveLength(after);
  });

  it('joins messages of any length without a seam', async () => {
    const [agent, far] = [await joinNear(48_000, false), await joinFar(48_000)];
    const lengths = [1, 7, 333, 100_000, 1, 1, 959, 961, 5_000, 3, 20_011];
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const whole = tone(SEAM_TONE_HZ, 48_000, total);
    let at = 0;
    for (const length of lengths) {
      agent.speak(whole.subarray(at, at + length));
      at += length;
    }
    const heard = await heardOut(far, (total * 1000) / 48_000);
    expect(findToneBreaks(heard, 48_000, SEAM_TONE_HZ)).toEqual([]);
    const report = analyzeTone(heard, 48_000, SEAM_TONE_HZ);
    expect(report.worstSnrDb).toBeGreaterThan(25);
    const voicedMs = far.heard.filter(isVoiced).length * 20;
    expect(Math.abs(voicedMs - (total * 1000) / 48_000)).toBeLessThanOrEqual(40);
  });

  it('accepts base64 audio at the rate given in each message', async () => {
    const [agent, far] = [await connectNear(), await joinFar(16_000)];
    const spoken = (sampleRateHz: number, lengthMs: number) => {
      const samples = tone(1000, sampleRateHz, (sampleRateHz * lengthMs) / 1000);
      return Buffer.from(samples.buffer).toString('base64');
    };
    agent.send({ type: 'audio', audio: spoken(24_000, 600), sample_rate: 24_000 });
    agent.send({ type: 'audio', audio: spoken(44_100, 600), sample_rate: 44_100 });
    agent.send({ type: 'audio', audio: spoken(8_000, 600) });
    const heard = await heardOut(far, 1800);
    const report = analyzeTone(heard, 16_000, 1000);
    expect(report.snrDb).toBeGreaterThan(30);
    expect(Math.abs(far.heard.filter(isVoiced).length - 90)).toBeLessThanOrEqual(3);
    expect(agent.errors).toEqual([]);
  });

  it.each([
    ['mulaw', 100, encodeUlaw, decodeUlaw],
    ['alaw', 200, encodeAlaw, decodeAlaw],
  ] as const)(
    'carries %s both ways, in one message every %i ms',
    async (format, frame_ms, encode, decode) => {
      const [agent, far] = [await connectNear(), await joinFar(8_000)];
      agent.send({ type: 'audio_config', format, frame_ms, receive: true });
      const declared = { format, frame_duration_ms: frame_ms, frame_bytes: frame_ms * 8, resampling: false };
      expect(await agent.waitFor('audio_config')).toMatchObject(declared);
      const spoken = tone(1_000, 8_000, 8_000);
      const coded = new Uint8Array(spoken.length);
      encode(spoken, spoken.length, coded, 0);
      agent.sendRaw(coded.subarray(0, 5_001));
      agent.send({ type: 'audio', audio: Buffer.from(coded.subarray(5_001)).toString('base64') });
      expect(analyzeTone(await heardOut(far, 1_000), 8_000, 1_000).snrDb).toBeGreaterThan(25);

      const stream = streamTone(far, 700, 100);
      const messages = await agent.hear(10, 15_000);
      stream.stop();
      const bytes = new Uint8Array(messages.buffer);
      expect(bytes.length).toBe(10 * frame_ms * 8);
      const heard = new Int16Array(bytes.length);
      decode(bytes, 0, bytes.length, heard);
      const voiced = heard.subarray(-4 * frame_ms * 8);
      expect(analyzeTone(voiced, 8_000, 700).snrDb).toBeGreaterThan(25);
      expect(agent.errors).toEqual([]);
    },
  );

  it.each([
    [{ format: 'vorbis' }, 'invalid_message'],
    [{ frame_ms: 25 }, 'invalid_message'],
    [{ frame_ms: 210 }, 'invalid_message'],
  ])('refuses an audio_config with %j, and keeps what was declared', async (wrong, code) => {
    const agent = await connectNear();
    agent.send({ type: 'audio_config', ...wrong });
    expect(await agent.waitFor('call_error')).toMatchObject({ code });
    agent.send({ type: 'audio_config' });
    const kept = { format: 'pcm_s16le', frame_duration_ms: 20 };
    expect(await agent.waitFor('audio_config')).toMatchObject(kept);
  });

  it('lets each of several agents hear everyone but itself', async () => {
    // No simple ratios: else one tone's quantization noise would stand exactly where another tone is looked for.
    const parties = [
      { agent: await joinNear(16_000), toneHz: 517 },
      { agent: await joinNear(24_000), toneHz: 709 },
      { agent: await joinFar(16_000), toneHz: 1103 },
    ];
    const streams = parties.map(({ agent, toneHz }) => streamTone(agent, toneHz, 100));
    const begun = ({ agent }: { agent: Agent }) => agent.hear(50);
    await Promise.all(parties.map(begun));
    const heard = await Promise.all(parties.map(({ agent }) => agent.hear(100)));
    for (const stream of streams) stream.stop();
    parties.forEach(({ agent: { sampleRateHz }, toneHz: own }, listener) => {
      for (const { toneHz } of parties) {
        const levelDb = toneLevelDb(heard[listener]!, sampleRateHz, toneHz) - SENT_DB;
        if (toneHz === own) expect(levelDb).toBeLessThan(-60);
        else expect(Math.abs(levelDb)).toBeLessThan(1);
      }
    });
  });

  it.each([
    ['invalid JSON', '{"type":', 'invalid_json'],
    ['JSON that is not an object', '[1]', 'unknown_type'],
    ['null', 'null', 'unknown_type'],
    ['an unknown type', { type: 'dance' }, 'unknown_type'],
    ['no type', { text: 'hello' }, 'unknown_type'],
    ['bad base64', { type: 'audio', audio: '!!!!', sample_rate: 8000 }, 'invalid_base64'],
    [
      'an odd number of bytes in base64',
      { type: 'audio', audio: 'AAAA', sample_rate: 8000 },
      'invalid_audio',
    ],
    ['audio that is not a string', { type: 'audio', audio: 5 }, 'invalid_message'],
    ['a rate that is too low', { type: 'audio_config', sample_rate: 7999 }, 'invalid_sample_rate'],
    ['a rate that is too high', { type: 'audio_config', sample_rate: 48_001 }, 'invalid_sample_rate'],
    ['a fractional rate', { type: 'audio_config', sample_rate: 8000.5 }, 'invalid_sample_rate'],
    ['base64 at too low a rate', { type: 'audio', audio: 'AAA=', sample_rate: 1 }, 'invalid_sample_rate'],
    ['receive that is not a boolean', { type: 'audio_config', receive: 'yes' }, 'invalid_message'],
    ['a mark without a name', { type: 'mark' }, 'invalid_message'],
    ['say without TTS', { type: 'say', text: 'hello' }, 'tts_not_configured'],
    ['send_chat without chat support', { type: 'send_chat', text: 'hello' }, 'capability_missing'],
  ])('answers %s with an error and keeps the call alive', async (_what, message, code) => {
    const agent = await connectNear();
    agent.sendRaw(typeof message === 'string' ? message : JSON.stringify(message));
    const error = await agent.waitFor('call_error');
    expect(error).toEqual({ type: 'call_error', code, message: expect.stringMatching(/.{5}/) });
    agent.send({ type: 'audio_config' });
    await agent.waitFor('audio_config', { sample_rate: 8000 });
    expect(await callLives()).toBe(true);
  });

  it('drops a message of an odd number of bytes and accepts the next one', async () => {
    const agent = await connectNear();
    agent.sendRaw(new Uint8Array(321));
    expect(await agent.waitFor('call_error')).toMatchObject({ code: 'invalid_audio' });
    agent.speak(tone(440, 8000, 8000));
    agent.clear();
    const { played_ms, dropped_ms } = await agent.waitFor('cleared');
    expect(Number(played_ms) + Number(dropped_ms)).toBe(1000);
  });

  it.each([8_000, 48_000])('accepts a message of exactly 1 MB at %i Hz', async (sampleRateHz) => {
    const agent = await joinNear(sampleRateHz, false);
    agent.sendRaw(new Uint8Array(MAX_MESSAGE_BYTES));
    agent.clear();
    const { played_ms, dropped_ms } = await agent.waitFor('cleared');
    expect(Number(played_ms) + Number(dropped_ms)).toBe(
      Math.round((MAX_MESSAGE_BYTES / 2 / sampleRateHz) * 1000),
    );
    expect(agent.errors).toEqual([]);
  });

  it('closes a socket that exceeds 1 MB with code 1009 and keeps the call alive', async () => {
    const [agent, other] = [await connectNear(), await joinNear(8000)];
    agent.sendRaw(new Uint8Array(MAX_MESSAGE_BYTES + 2));
    expect(await agent.closed).toBe(1009);
    await other.hear(25);
    expect(await callLives()).toBe(true);
    const again = await joinNear(8000);
    await again.hear(25);
  });
});
