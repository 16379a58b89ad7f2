import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { PhoneCodec } from '../support/baresip-config.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

/**
 * Two tones that G.711 does not carry, and two where voices are. Of the former the codec itself makes 22 to 25 dB: its
 * higher band has two bits a sample.
 */
const HIGH_TONES = { phoneHz: 5_000, agentHz: 4_700, leastSnrDb: 21 } as const;
const LOW_TONES = { phoneHz: 440, agentHz: 1_037, leastSnrDb: 30 } as const;
type Tones = typeof HIGH_TONES | typeof LOW_TONES;

const NUMBER = '+33987654321';
const AHEAD_MS = 200;
const SETTLING_FRAMES = 50;
const ALL_KEYS = '1234567890*#';
/** What both speak with. */
const SPOKEN_AMPLITUDE = 10_000;

describe.skipIf(requirePeer('baresip'))('a call over G.722 with a phone', { retry }, () => {
  let line: PhoneLine | null = null;

  afterEach(async () => {
    await line?.stop();
    line = null;
  });

  function start(codecs: readonly PhoneCodec[], { phoneHz }: Tones): Promise<PhoneLine> {
    return PhoneLine.start({
      phone: { codecs, source: { toneHz: phoneHz } },
      gateway: { env: { SVC_SIP_CODECS: 'G722,PCMU,PCMA' } },
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
  async function expectTalk(call: ShownCall, sampleRateHz: number, codec: string, tones: Tones) {
    const { phoneHz, agentHz, leastSnrDb } = tones;
    const { phone } = line!;
    const agent = await join(call, sampleRateHz);
    const speaking = streamTone(agent, agentHz, AHEAD_MS);
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
      analyzeTone(heard, sampleRateHz, phoneHz),
      analyzeTone(atPhone.samples, atPhone.sampleRateHz, agentHz),
    ]) {
      expect(report.snrDb).toBeGreaterThan(leastSnrDb);
      expect(report.amplitude).toBeGreaterThan(SPOKEN_AMPLITUDE * 0.85);
      expect(report.amplitude).toBeLessThan(SPOKEN_AMPLITUDE * 1.15);
      expect(report.lengthMs).toBeGreaterThan(1_700);
    }
  }

  it.each([
    [16_000, HIGH_TONES],
    [16_000, LOW_TONES],
    [48_000, HIGH_TONES],
  ])(
    'that the gateway places is clean both ways for an agent at %i Hz, with %o',
    async (sampleRateHz, tones) => {
      line = await start(['G722', 'PCMU'], tones);
      const call = await line.talk();
      expect(call.audio.sample_rate).toBe(16_000);
      await expectTalk(call, sampleRateHz, 'G722', tones);
    },
  );

  it('that the phone places is clean both ways', async () => {
    line = await start(['G722', 'PCMU'], HIGH_TONES);
    await line.listNumber(NUMBER, true);
    await line.dial(NUMBER);
    const call = await line.onlyCall('active');
    expect(call.audio.sample_rate).toBe(16_000);
    await expectTalk(call, 16_000, 'G722', HIGH_TONES);
  });

  it('uses G.711 in a 16 kHz room when the phone lacks G.722', async () => {
    line = await start(['PCMA'], LOW_TONES);
    const call = await line.talk();
    expect(call.audio.sample_rate).toBe(16_000);
    await expectTalk(call, 16_000, 'PCMA', LOW_TONES);
  });

  it('that the phone places with G.711 first uses G.711 at 8 kHz', async () => {
    line = await start(['PCMU', 'G722'], LOW_TONES);
    await line.listNumber(NUMBER, true);
    await line.dial(NUMBER);
    const call = await line.onlyCall('active');
    expect(call.audio.sample_rate).toBe(8_000);
    await expectTalk(call, 16_000, 'PCMU', LOW_TONES);
  });

  it('carries DTMF digits both ways, each once and in order', async () => {
    line = await start(['G722'], LOW_TONES);
    const { gateway, phone } = line;
    const call = await line.talk();
    const agent = await join(call, 16_000);
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
});
