import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { PhoneCodec } from '../support/baresip-config.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

/** The phone's tone is one that G.711 does not carry. */
const PHONE_TONE_HZ = 5_000;
const AGENT_TONE_HZ = 1_037;
const NUMBER = '+33987654321';
const AHEAD_MS = 200;
const SETTLING_FRAMES = 50;
const HALF_SECOND_FRAMES = 25;
const ALL_KEYS = '1234567890*#';
/** What both speak with. */
const SPOKEN_AMPLITUDE = 10_000;

describe.skipIf(requirePeer('baresip'))('a call over Opus with a phone', { retry }, () => {
  let line: PhoneLine | null = null;

  afterEach(async () => {
    await line?.stop();
    line = null;
  });

  function start(codecs: readonly PhoneCodec[], toneHz = PHONE_TONE_HZ): Promise<PhoneLine> {
    return PhoneLine.start({
      phone: { codecs, source: { toneHz } },
      gateway: { env: { SVC_SIP_CODECS: 'opus,PCMU,PCMA' } },
    });
  }

  function join(call: ShownCall, sampleRateHz: number): Promise<Agent> {
    return Agent.join(call.audio.stream_url, line!.gateway.agentKey, { sampleRateHz });
  }

  async function hangUp(call: ShownCall): Promise<void> {
    await line!.gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await line!.phone.waitFor('CALL_CLOSED');
  }

  /** Both speak for two seconds; each hears the other clean, as loud as it was said, and without a break. */
  async function expectTalk(call: ShownCall, sampleRateHz: number, phoneToneHz: number, codec: string) {
    const { phone } = line!;
    const agent = await join(call, sampleRateHz);
    const speaking = streamTone(agent, AGENT_TONE_HZ, AHEAD_MS);
    await agent.hear(SETTLING_FRAMES);
    const heard = await agent.hear(100);
    const media = await phone.mediaReport();
    expect(media).toMatch(new RegExp(`encode: ${codec} `, 'i'));
    expect(media).toMatch(new RegExp(`decode: ${codec} `, 'i'));
    speaking.stop();
    await hangUp(call);
    expect(agent.errors).toEqual([]);
    const atPhone = phone.recordings().at(-1)!;
    for (const report of [
      analyzeTone(heard, sampleRateHz, phoneToneHz),
      analyzeTone(atPhone.samples, atPhone.sampleRateHz, AGENT_TONE_HZ),
    ]) {
      expect(report.snrDb).toBeGreaterThan(30);
      expect(report.amplitude).toBeGreaterThan(SPOKEN_AMPLITUDE * 0.85);
      expect(report.amplitude).toBeLessThan(SPOKEN_AMPLITUDE * 1.15);
      expect(report.lengthMs).toBeGreaterThan(1_700);
    }
  }

  it.each([16_000, 48_000])(
    'that the gateway places is clean both ways for an agent at %i Hz',
    async (sampleRateHz) => {
      line = await start(['opus', 'PCMU']);
      const call = await line.talk();
      expect(call.audio.sample_rate).toBe(48_000);
      await expectTalk(call, sampleRateHz, PHONE_TONE_HZ, 'opus');
    },
  );

  it.each([16_000, 48_000])(
    'that the phone places is clean both ways for an agent at %i Hz',
    async (sampleRateHz) => {
      line = await start(['opus', 'PCMU']);
      await line.listNumber(NUMBER, true);
      await line.dial(NUMBER);
      const call = await line.onlyCall('active');
      expect(call.audio.sample_rate).toBe(48_000);
      await expectTalk(call, sampleRateHz, PHONE_TONE_HZ, 'opus');
    },
  );

  it('uses G.711 in a 48 kHz room when the phone lacks Opus', async () => {
    line = await start(['PCMA'], 440);
    const call = await line.talk();
    expect(call.audio.sample_rate).toBe(48_000);
    await expectTalk(call, 48_000, 440, 'PCMA');
  });

  it('that the phone places with G.711 first uses G.711 at 8 kHz', async () => {
    line = await start(['PCMU', 'opus'], 440);
    await line.listNumber(NUMBER, true);
    await line.dial(NUMBER);
    const call = await line.onlyCall('active');
    expect(call.audio.sample_rate).toBe(8_000);
    await expectTalk(call, 16_000, 440, 'PCMU');
  });

  it('carries DTMF digits both ways, each once and in order', async () => {
    line = await start(['opus']);
    const { gateway, phone } = line;
    const call = await line.talk();
    const agent = await join(call, 48_000);
    const keysOf = () =>
      agent.events.flatMap((event) => (event.type === 'dtmf' ? [event.digit] : [])).join('');
    const { status } = await gateway.agentApi.post(`/api/call/${call.call_id}/dtmf`, { digits: ALL_KEYS });
    expect(status).toBe(200);
    await waitFor('all keys at the phone', () => phone.receivedDigits.length >= ALL_KEYS.length);
    for (const [index, key] of [...`${ALL_KEYS}11`].entries()) {
      await phone.sendDtmf(key);
      await waitFor(`key ${key}`, () => keysOf().length > index);
    }
    await hangUp(call);
    expect(phone.receivedDigits).toBe(ALL_KEYS);
    expect(keysOf()).toBe(`${ALL_KEYS}11`);
  });

  it('is silent while the phone holds, and clean afterwards', async () => {
    line = await start(['opus']);
    const { phone } = line;
    const call = await line.talk();
    const agent = await join(call, 48_000);
    const voicedLately = () => agent.heard.slice(-HALF_SECOND_FRAMES).filter(isVoiced).length;
    const phoneIsHeard = () => waitFor('the phone to be heard', () => voicedLately() === HALF_SECOND_FRAMES);
    await phoneIsHeard();
    for (let round = 0; round < 2; round++) {
      await phone.hold();
      await waitFor('silence', () => voicedLately() === 0);
      expect((await agent.hear(50)).some((sample) => Math.abs(sample) > 100)).toBe(false);
      await phone.resume();
      await phoneIsHeard();
      const heard = await agent.hear(100);
      expect(analyzeTone(heard, 48_000, PHONE_TONE_HZ).snrDb).toBeGreaterThan(30);
      expect(findToneBreaks(heard, 48_000, PHONE_TONE_HZ)).toEqual([]);
    }
    await hangUp(call);
  });
});
