import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, findToneBreaks, toneLevelDb } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';

const retry = retryAudio();

const AGENT_TONE_HZ = 1_000;
const PHONE_TONE_HZ = 440;
/** No harmonic of 440 Hz, nor an alias of one, is near: what G.711 adds to the phone's tone is elsewhere. */
const OTHER_AGENT_TONE_HZ = 1_037;
/** How far ahead of real time the agent streams, so that a late test process is not taken for a gap. */
const AHEAD_MS = 200;
/** What comes while the call gets going: the jitter buffer fills, the rate is declared. */
const SETTLING_FRAMES = 50;
const LONG_FRAMES = 400;
/** Without native media I/O only packets take another way. Resampling is the same. */
const isPortable = process.env.SVC_MEDIA_IO === 'portable';
const CLEAN_RATES_HZ = isPortable ? [16_000] : [8_000, 16_000, 24_000, 44_100, 48_000];
const MINUS_RATES_HZ = isPortable ? [16_000] : [8_000, 16_000, 48_000];

describe.skipIf(requirePeer('baresip'))('audio between an agent and a phone', { retry }, () => {
  let line: PhoneLine;

  beforeAll(async () => {
    line = await PhoneLine.start({ phone: { source: { toneHz: PHONE_TONE_HZ } } });
  });
  afterAll(() => line?.stop());

  /** A call in which the agent streams a tone; returns so many frames of what it heard, and what the phone heard. */
  async function talk(sampleRateHz: number, agentToneHz: number, frames: number) {
    const call = await line.talk();
    const agent = await Agent.join(call.audio.stream_url, line.gateway.agentKey, { sampleRateHz });
    const speaking = streamTone(agent, agentToneHz, AHEAD_MS);
    await agent.hear(SETTLING_FRAMES);
    const atAgent = await agent.hear(frames);
    speaking.stop();
    await line.gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await line.phone.waitFor('CALL_CLOSED');
    await agent.closed;
    expect(agent.errors).toEqual([]);
    return { agent, atAgent, atPhone: line.phone.recordings().at(-1)! };
  }

  it.each(CLEAN_RATES_HZ)('is clean both ways at %i Hz', async (sampleRateHz) => {
    const { atAgent, atPhone } = await talk(sampleRateHz, AGENT_TONE_HZ, 150);
    expect(analyzeTone(atAgent, sampleRateHz, PHONE_TONE_HZ).snrDb).toBeGreaterThan(30);
    const heardByPhone = analyzeTone(atPhone.samples, atPhone.sampleRateHz, AGENT_TONE_HZ);
    expect(heardByPhone.snrDb).toBeGreaterThan(30);
    expect(heardByPhone.lengthMs).toBeGreaterThan(3_000);
  });

  it.each(MINUS_RATES_HZ)("does not return the agent's own voice at %i Hz", async (sampleRateHz) => {
    const { atAgent, atPhone } = await talk(sampleRateHz, OTHER_AGENT_TONE_HZ, 150);
    expect(analyzeTone(atPhone.samples, atPhone.sampleRateHz, OTHER_AGENT_TONE_HZ).snrDb).toBeGreaterThan(30);
    const ownDb = toneLevelDb(atAgent, sampleRateHz, OTHER_AGENT_TONE_HZ);
    const phoneDb = toneLevelDb(atAgent, sampleRateHz, PHONE_TONE_HZ);
    // Both were sent equally loud.
    expect(ownDb).toBeLessThan(phoneDb - 60);
  });

  it('comes every 20 ms and has no gap', async () => {
    const before = await disturbances();
    const { agent, atAgent } = await talk(16_000, AGENT_TONE_HZ, LONG_FRAMES);
    const disturbed = (await disturbances()) - before;
    expect(disturbed).toBeLessThan(LONG_FRAMES / 100);
    // Each may break the tone where it begins and where it ends; on a machine that keeps up there are none.
    expect(findToneBreaks(atAgent, 16_000, PHONE_TONE_HZ).length).toBeLessThanOrEqual(2 * disturbed);
    const { lengthMs, snrDb } = analyzeTone(atAgent, 16_000, PHONE_TONE_HZ);
    expect(lengthMs).toBeGreaterThan(LONG_FRAMES * 20 - 500);
    expect(snrDb).toBeGreaterThan(30);
    expect(new Set(agent.heard.map(({ samples }) => samples.length))).toEqual(new Set([320]));
    // The least late frame of the first and of the last second: a late test process drops out of both.
    const latenessMs = agent.heard
      .slice(SETTLING_FRAMES, SETTLING_FRAMES + LONG_FRAMES)
      .map(({ atMs }, index) => atMs - index * 20);
    const driftMs = Math.min(...latenessMs.slice(-50)) - Math.min(...latenessMs.slice(0, 50));
    expect(Math.abs(driftMs)).toBeLessThan(20);
  });

  /** Frames that the gateway made up or left out because the phone, a program like any other, was late. */
  async function disturbances(): Promise<number> {
    const counters = ['frames_concealed', 'packets_dropped', 'packets_late', 'skipped_ticks'];
    const totals = await Promise.all(
      counters.map((counter) => line.gateway.metric(`svc_engine_${counter}_total`)),
    );
    return totals.reduce<number>((sum, total) => sum + total!, 0);
  }
});
