import type { ReceptionStats } from '../reception/reception-stats.ts';
import type { RtpCounters } from '../rtp-counters.ts';
import type { RtpState } from '../rtp-state.ts';
import type { RtpSender, SendPacket } from '../sending/rtp-sender.ts';
import { SRTP_TRAILER_BYTES, type SrtpSession } from '../srtp/srtp.ts';
import {
  ntpMiddle,
  type ReportBlock,
  type RtcpVisitor,
  readCompound,
  type SenderInfo,
  writeCname,
  writeGoodbye,
  writeReport,
} from './rtcp-packet.ts';

const INTERVAL_MS = 5_000;
/** RFC 3550 section 6.3.1: compensates for the shorter intervals caused by randomised timers. */
const COMPENSATION = Math.E - 1.5;
const MAX_COMPOUND_BYTES = 256;
const NTP_UNITS_PER_MS = 0x1_0000 / 1000;

/** The report being written. A thread writes one at a time. */
const compound = new Uint8Array(MAX_COMPOUND_BYTES + SRTP_TRAILER_BYTES);

interface RtcpSessionDeps {
  readonly memory: RtpState;
  readonly sender: RtpSender;
  readonly stats: ReceptionStats;
  readonly counters: RtpCounters;
  readonly send: SendPacket;
}

/** Sends a report about every five seconds and reads the peer's (RFC 3550 section 6). Times are wall-clock. */
export class RtcpSession implements RtcpVisitor {
  readonly #deps: RtcpSessionDeps;
  #nextAtMs: number;
  #packetsReported: number;
  #lastSenderReport = 0;
  #lastSenderReportAtMs = 0;
  #readAtMs = 0;

  constructor(deps: RtcpSessionDeps, nowMs: number) {
    this.#deps = deps;
    this.#packetsReported = deps.memory.packetsSent;
    this.#nextAtMs = nowMs + randomIntervalMs() / 2;
  }

  /** Sends a report when one is due. */
  tick(srtp: SrtpSession | null, nowMs: number): void {
    if (nowMs < this.#nextAtMs) return;
    this.#nextAtMs = nowMs + randomIntervalMs();
    this.#finish(this.#writeCompound(nowMs), srtp);
  }

  /** Announces the end of our stream (section 6.6). */
  goodbye(srtp: SrtpSession | null, nowMs: number): void {
    const end = this.#writeCompound(nowMs);
    this.#finish(writeGoodbye(compound, end, this.#deps.memory.localSsrc), srtp);
  }

  /** Handles a compound packet from the peer. Returns false when it is malformed. */
  receive(bytes: Uint8Array, length: number, nowMs: number): boolean {
    this.#readAtMs = nowMs;
    return readCompound(bytes, length, this);
  }

  senderReport(ssrc: number, ntpMiddleBits: number): void {
    if (!this.#deps.stats.active || ssrc !== this.#deps.stats.ssrc) return;
    this.#lastSenderReport = ntpMiddleBits;
    this.#lastSenderReportAtMs = this.#readAtMs;
  }

  reportBlock(block: ReportBlock): void {
    const { memory, counters, sender } = this.#deps;
    if (block.ssrc !== memory.localSsrc) return;
    counters.remoteLostShare = block.fractionLost / 256;
    sender.noteLoss(block.fractionLost / 256);
    counters.remoteJitterMs = (block.jitterSamples * 1000) / sender.clockRateHz;
    if (block.lastSenderReport === 0) return;
    const sentAt = (block.lastSenderReport + block.delaySinceSenderReport) >>> 0;
    const roundTrip = (ntpMiddle(this.#readAtMs) - sentAt) | 0;
    if (roundTrip >= 0) counters.rttMs = roundTrip / NTP_UNITS_PER_MS;
  }

  #writeCompound(nowMs: number): number {
    const ssrc = this.#deps.memory.localSsrc;
    const report = { sender: this.#senderInfo(nowMs), block: this.#block(nowMs) };
    const end = writeReport(compound, 0, ssrc, report);
    return writeCname(compound, end, ssrc, this.#deps.memory.cname);
  }

  /** Null when nothing was sent since the previous report, which makes this a receiver report. */
  #senderInfo(nowMs: number): SenderInfo | null {
    const { packetsSent, octetsSent } = this.#deps.memory;
    if (packetsSent === this.#packetsReported) return null;
    this.#packetsReported = packetsSent;
    return { wallMs: nowMs, timestamp: this.#deps.sender.timestampAt(nowMs), packetsSent, octetsSent };
  }

  #block(nowMs: number): ReportBlock | null {
    const stats = this.#deps.stats;
    if (!stats.active) return null;
    const delayMs = nowMs - this.#lastSenderReportAtMs;
    return {
      ssrc: stats.ssrc,
      fractionLost: stats.takeFractionLost(),
      cumulativeLost: stats.cumulativeLost,
      highestSequence: stats.extendedHighest,
      jitterSamples: stats.jitterSamples,
      lastSenderReport: this.#lastSenderReport,
      delaySinceSenderReport: this.#lastSenderReport === 0 ? 0 : Math.round(delayMs * NTP_UNITS_PER_MS),
    };
  }

  #finish(length: number, srtp: SrtpSession | null): void {
    this.#deps.send(compound, srtp === null ? length : srtp.protectRtcp(compound, length));
  }
}

/** A random interval between half and one and a half times the nominal one (section 6.3.1). */
function randomIntervalMs(): number {
  return (INTERVAL_MS * (0.5 + Math.random())) / COMPENSATION;
}
