import type { RtpConfig } from '../src/rtp/rtp-protocol.ts';

/** A leg to a phone of the generator that speaks PCMU, in clear, at this port. */
export function pcmuLeg(host: string, remotePort: number): RtpConfig {
  return {
    remoteHost: host,
    remotePort,
    remoteRtcpPort: remotePort,
    remotePlausible: true,
    signalingHost: host,
    behindNat: false,
    codec: 'PCMU',
    payloadType: 0,
    dtmfPayloadType: null,
    dtmfClockRateHz: 8_000,
    received: { codecs: [], events: [] },
    opus: null,
    sending: true,
    receiving: true,
    srtp: null,
    mediaTimeoutMs: 3_600_000,
  };
}
