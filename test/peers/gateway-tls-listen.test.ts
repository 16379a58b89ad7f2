import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { makeCertificate } from '../support/certificate.ts';
import { claimSignalingPorts, type PortClaim } from '../support/free-ports.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { analyzeTone } from '../support/tone-analysis.ts';

const NUMBER = '+33987654321';
const RATE_HZ = 16_000;

describe.skipIf(requirePeer('baresip', 'openssl'))('a gateway that listens for TLS', () => {
  let folder: string;
  let claim: PortClaim;
  let line: PhoneLine;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
    claim = await claimSignalingPorts(2);
    const { certPath, keyPath } = makeCertificate(folder);
    const env = {
      SVC_SIP_TLS_CERT_FILE: certPath,
      SVC_SIP_TLS_KEY_FILE: keyPath,
      SVC_SIP_TLS_PORT: `${claim.first}`,
    };
    line = await PhoneLine.start({
      phone: { transport: 'tls', srtp: true },
      trunk: { srtp: 'required' },
      gateway: { env },
    });
    await line.listNumber(NUMBER, true);
  });
  afterAll(async () => {
    await line?.stop();
    claim?.release();
    rmSync(folder, { recursive: true, force: true });
  });

  it('receives a call from a phone, and both sides hear each other', async () => {
    await line.phone.dial(`sip:${NUMBER}@127.0.0.1:${claim.first};transport=tls`);
    const call = await line.onlyCall('active');
    expect(call.direction).toBe('inbound');
    const agent = await Agent.join(call.audio.stream_url, line.gateway.agentKey, { sampleRateHz: RATE_HZ });
    const speaking = agent.startTone(1000);
    const heard = await agent.hear(150);
    speaking.stop();
    await line.phone.hangUp();
    await agent.closed;
    expect(analyzeTone(heard.subarray(heard.length / 3), RATE_HZ, 440).snrDb).toBeGreaterThan(30);
    const recording = line.phone.recordings().at(-1)!;
    expect(analyzeTone(recording.samples, recording.sampleRateHz, 1000).snrDb).toBeGreaterThan(30);
  });
});
