import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEDIA_MEMORY_BYTES } from '../../../src/media/media-leg.ts';
import { VoiceCodecs } from '../../../src/rtp/codecs/voice-codecs.ts';
import { ReceptionStats } from '../../../src/rtp/reception/reception-stats.ts';
import { ntpMiddle, type ReportBlock, readCompound, writeReport } from '../../../src/rtp/rtcp/rtcp-packet.ts';
import { RtcpSession } from '../../../src/rtp/rtcp/rtcp-session.ts';
import { newRtpCounters } from '../../../src/rtp/rtp-counters.ts';
import { RtpState } from '../../../src/rtp/rtp-state.ts';
import { RtpSender } from '../../../src/rtp/sending/rtp-sender.ts';
import { hear, pair, pushSilence } from './leg-pair.ts';
import { baseConfig, until } from './rtp-peer.ts';

const START_MS = 1_790_000_000_000;
const ZERO_BLOCK: ReportBlock = {
  ssrc: 0,
  fractionLost: 0,
  cumulativeLost: 0,
  highestSequence: 0,
  jitterSamples: 0,
  lastSenderReport: 0,
  delaySinceSenderReport: 0,
};

function newStats(): ReceptionStats {
  const stats = new ReceptionStats();
  stats.setClock(8_000);
  return stats;
}

/** A session in virtual time, and what it sends. */
function session() {
  const memory = new RtpState(new SharedArrayBuffer(MEDIA_MEMORY_BYTES));
  const sent: Buffer[] = [];
  const codecs = new VoiceCodecs(() => assert.fail('no Opus here'));
  const sender = new RtpSender(codecs, 8_000, { memory, nowMs: START_MS, send: () => {} });
  sender.configure(baseConfig(0), null, START_MS);
  const stats = newStats();
  const counters = newRtpCounters();
  const rtcp = new RtcpSession(
    {
      memory,
      sender,
      stats,
      counters,
      send: (bytes, length) => sent.push(Buffer.from(bytes.subarray(0, length))),
    },
    START_MS,
  );
  return { memory, sender, stats, counters, rtcp, sent };
}

describe('RtcpSession', () => {
  it('reports about every five seconds, at varying intervals', () => {
    const { rtcp, sent } = session();
    const at: number[] = [];
    for (let ms = 0; ms < 600_000; ms += 20) {
      rtcp.tick(null, START_MS + ms);
      if (sent.length > at.length) at.push(ms);
    }
    const gaps = at.slice(1).map((ms, i) => ms - at[i]!);
    expect(Math.min(...gaps)).toBeGreaterThan(2_000);
    expect(Math.max(...gaps)).toBeLessThan(6_200);
    expect(new Set(gaps).size).toBeGreaterThan(20);
  });

  it('reports what was sent and how the peer is received', () => {
    const { rtcp, sender, stats, memory, sent } = session();
    for (let i = 0; i < 10; i++) sender.push(new Int16Array(160), false, START_MS + i * 20);
    stats.restart(0xfeed);
    for (const sequence of [65_534, 65_535, 0, 3]) stats.note(sequence, sequence * 160, START_MS);
    rtcp.tick(null, START_MS + 10_000);
    const report = sent[0]!;
    expect(report[1]).toBe(200);
    expect(report.readUInt32BE(4)).toBe(memory.localSsrc);
    expect(report.readUInt32BE(8)).toBe(START_MS / 1000 + 10 + 2_208_988_800);
    expect((report.readUInt32BE(16) - memory.sentTimestamp) >>> 0).toBe((10_000 - 180) * 8);
    expect(report.readUInt32BE(20)).toBe(10);
    expect(report.readUInt32BE(24)).toBe(1_600);
    expect(report.readUInt32BE(28)).toBe(0xfeed);
    expect(report[32]).toBe(Math.floor((2 * 256) / 6));
    expect(report.readUInt32BE(32) & 0xff_ffff).toBe(2);
    expect(report.readUInt32BE(36)).toBe(0x1_0003);
    expect(report[53]).toBe(202);
    expect(report.toString('latin1', 62, 62 + report[61]!)).toBe(memory.cname);
    expect(report.length % 4).toBe(0);
    expect(readCompound(report, report.length, { senderReport: () => {}, reportBlock: () => {} })).toBe(true);
  });

  it('calculates the round trip from the peer’s report on ours', () => {
    const { rtcp, memory, counters } = session();
    const block = {
      ...ZERO_BLOCK,
      ssrc: memory.localSsrc,
      fractionLost: 64,
      jitterSamples: 80,
      lastSenderReport: ntpMiddle(START_MS),
      delaySinceSenderReport: 65_536,
    };
    const bytes = Buffer.alloc(64);
    const length = writeReport(bytes, 0, 7, { sender: null, block });
    expect(rtcp.receive(bytes, length, START_MS + 1_080)).toBe(true);
    expect(counters.rttMs).toBeCloseTo(80, 0);
    expect(counters).toMatchObject({ remoteLostShare: 0.25, remoteJitterMs: 10 });
    expect(rtcp.receive(bytes, length - 4, START_MS)).toBe(false);
  });

  it('survives arbitrary bytes', () => {
    const { rtcp } = session();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.constantFrom(200, 201, 203), (bytes, type) => {
        if (bytes.length > 4) bytes.set([0x81, type, 0, Math.floor(bytes.length / 4) - 1]);
        rtcp.receive(bytes, bytes.length, START_MS);
      }),
    );
  });
});

describe('ReceptionStats', () => {
  it('measures jitter as RFC 3550 A.8 does', () => {
    const stats = newStats();
    let expected = 0;
    for (let i = 0; i < 200; i++) {
      stats.note(i, i * 160, i * 20 + (i % 2) * 10);
      if (i > 0) expected += (80 - expected) / 16;
    }
    expect(stats.jitterMs).toBeCloseTo(expected / 8, 6);
    expect(stats.takeFractionLost()).toBe(0);
  });
});

describe('a leg’s reports on the wire', () => {
  it('go to the RTCP port, and say goodbye at the end', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    await hear(peer, test, 3);
    await pushSilence(test, 2);
    test.leg.close();
    await until(() => peer.reports.length === 1, 'a goodbye');
    const report = peer.reports[0]!;
    expect(report[1]).toBe(200);
    expect(report[report.length - 7]).toBe(203);
  });

  it('are not accepted from another host', async () => {
    const { peer, test } = await pair();
    test.configure(peer);
    const stranger = createSocket('udp4');
    await new Promise<void>((resolve) => stranger.bind(0, '127.0.0.2', resolve));
    const report = Buffer.alloc(32);
    const { localSsrc } = new RtpState(test.memory);
    const length = writeReport(report, 0, 5, {
      sender: null,
      block: { ...ZERO_BLOCK, ssrc: localSsrc, fractionLost: 128 },
    });
    stranger.send(report.subarray(0, length), test.port + 1, '127.0.0.1');
    await until(() => test.leg.counters.strangers === 1, 'a report of a stranger');
    expect(test.leg.counters.remoteLostShare).toBe(-1);
    await peer.sendReport(report.subarray(0, length), test.port + 1);
    await until(() => test.leg.counters.remoteLostShare === 0.5, 'a report of the peer');
    stranger.close();
  });

  it('share the RTP port when that is agreed', async () => {
    const { peer, test } = await pair();
    test.configure(peer, { remoteRtcpPort: peer.port });
    const report = Buffer.alloc(8);
    writeReport(report, 0, 5, { sender: null, block: null });
    await peer.send(report, test.port);
    await hear(peer, test, 2);
    expect(test.leg.counters).toMatchObject({ packetsReceived: 2, malformed: 0 });
    test.leg.close();
    await until(() => peer.reports.length === 1, 'a goodbye on the RTP port');
    expect(peer.reports[0]![1]).toBe(201);
  });
});
