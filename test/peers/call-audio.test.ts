import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { Baresip } from '../support/baresip.ts';
import { Gateway } from '../support/gateway.ts';
import { requirePeer } from '../support/require-peer.ts';
import { analyzeTone, toneLevelDb } from '../support/tone-analysis.ts';

const AGENT_TONE_HZ = 1000;
const PHONE_TONE_HZ = 440;

describe.skipIf(requirePeer('baresip'))('audio between an agent and a phone', () => {
  let gateway: Gateway;
  let phone: Baresip;

  beforeAll(async () => {
    gateway = await Gateway.start();
    phone = await Baresip.start({ user: '+33123456789', answer: 'auto', source: { toneHz: PHONE_TONE_HZ } });
    const { hostname, port } = new URL(phone.uri.replace('sip:', 'http://'));
    await gateway.putTrunk({ host: hostname, port: Number(port) });
  });
  afterAll(async () => {
    await phone?.stop();
    await gateway?.stop();
  });

  it.each([8000, 16_000, 24_000, 44_100, 48_000])(
    'both tones arrive clean at %i Hz',
    async (sampleRateHz) => {
      const call = await gateway.placeCall(phone.uri);
      const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz });
      await gateway.waitForState(call.call_id, 'active');
      const speaking = agent.startTone(AGENT_TONE_HZ);
      const heard = await agent.hear(200);
      speaking.stop();
      await gateway.agentApi.delete(`/api/call/${call.call_id}`);
      await agent.close();
      await phone.waitFor('CALL_CLOSED');

      const steady = heard.subarray(heard.length / 2);
      const atAgent = analyzeTone(steady, sampleRateHz, PHONE_TONE_HZ);
      expect(atAgent.snrDb).toBeGreaterThan(30);
      const ownDb =
        toneLevelDb(steady, sampleRateHz, AGENT_TONE_HZ) - toneLevelDb(steady, sampleRateHz, PHONE_TONE_HZ);
      expect(ownDb).toBeLessThan(-60);
      const recording = phone.recordings().at(-1);
      expect(recording).toBeDefined();
      const atPhone = analyzeTone(recording!.samples, recording!.sampleRateHz, AGENT_TONE_HZ);
      console.log(
        `${sampleRateHz} Hz: SNR at agent ${atAgent.snrDb.toFixed(1)} dB, at phone ${atPhone.snrDb.toFixed(1)} dB, own tone ${ownDb.toFixed(1)} dB`,
      );
      expect(atPhone.snrDb).toBeGreaterThan(30);
    },
  );
});
