import type { SipMediaConfig } from '../../media-protocol.ts';
import type { SourceAddress } from '../sockets/media-sockets.ts';
import type { RtpPacket } from './rtp-packet.ts';
import { SourceCandidates } from './source-candidates.ts';

/** A source that has been silent this long may be replaced by another one. */
const RELATCH_AFTER_MS = 2_000;
/** Packets of audio in a row, 100 ms of them, before a source that was not signalled is believed. */
const PACKETS_NEEDED = 5;

/** What signaling says of where the peer's packets come from. */
export type SignalledSource = Pick<
  SipMediaConfig,
  'remoteHost' | 'remotePort' | 'remotePlausible' | 'signalingHost' | 'behindNat'
>;

const NOWHERE: SignalledSource = {
  remoteHost: null,
  remotePort: 0,
  remotePlausible: false,
  signalingHost: '',
  behindNat: false,
};

/**
 * Decides whose packets are the peer's, and where ours go. The address of the SDP comes first: its packets are
 * believed at once, and while it speaks nobody else is. Peers behind a NAT send from elsewhere, so another source
 * that has sent five packets of audio in a row is heard, as long as the SDP's address has not spoken. Our audio
 * follows it only to the host of the SDP or of the signaling, or wherever it comes from when the trunk is said to
 * be behind a NAT; then, too, a signalled source that has fallen silent is given up.
 */
export class SourceLatch {
  /** Where to send; port 0: nowhere yet. */
  host = '';
  port = 0;
  #signalled = NOWHERE;
  /** Who is heard. */
  #heardHost = '';
  #heardPort = 0;
  #ssrc: number | null = null;
  #isLatched = false;
  #heardAtMs = 0;
  /** Whom a new description has made a former source: its last packets are still on their way. */
  #formerHost = '';
  #formerPort = 0;
  #signalledAtMs = 0;
  readonly #candidates = new SourceCandidates();

  /** Sets the address from the SDP, null when it may not be followed. True: it is another one than before, and the latch is open again. */
  signal(source: SignalledSource, nowMs: number): boolean {
    const { remoteHost, remotePort } = this.#signalled;
    this.#signalled = source;
    if (source.remoteHost === remoteHost && source.remotePort === remotePort) return false;
    this.#formerHost = this.#isLatched ? this.#heardHost : '';
    this.#formerPort = this.#isLatched ? this.#heardPort : 0;
    this.#signalledAtMs = nowMs;
    this.host = source.remoteHost ?? '';
    this.port = source.remotePort;
    this.#isLatched = false;
    this.#ssrc = null;
    this.#candidates.clear();
    return true;
  }

  /** Takes up the source that a former worker had found. */
  resume(host: string, port: number, nowMs: number): void {
    this.#latch(host, port, null, nowMs);
  }

  /** Who is heard, for a later worker. */
  get heardHost(): string {
    return this.#heardHost;
  }

  get heardPort(): number {
    return this.#heardPort;
  }

  /** Judges a valid packet: of the stream that plays, the first of a new stream, or from a stranger. */
  judge(
    packet: RtpPacket,
    isAudio: boolean,
    from: SourceAddress,
    nowMs: number,
  ): 'current' | 'new' | 'stranger' {
    const { address: host, port } = from;
    const isSource = this.#isLatched && port === this.#heardPort && host === this.#heardHost;
    if (isSource && (packet.ssrc === this.#ssrc || this.#ssrc === null)) {
      this.#ssrc = packet.ssrc;
      this.#heardAtMs = nowMs;
      return 'current';
    }
    if (!isSource && !this.#mayBecomeSource(packet, isAudio, from, nowMs)) return 'stranger';
    this.#latch(host, port, packet.ssrc, nowMs);
    return 'new';
  }

  /** Whether an RTCP packet may be the peer's; its port tells nothing where a NAT lies between. */
  isPeer(host: string): boolean {
    return host === (this.#isLatched ? this.#heardHost : this.#signalled.remoteHost);
  }

  #mayBecomeSource(
    packet: RtpPacket,
    isAudio: boolean,
    { address: host, port }: SourceAddress,
    nowMs: number,
  ): boolean {
    const isSignalled = this.#isSignalled(host, port);
    if (isSignalled && !this.#isLatched) return true;
    if (!isAudio || (!isSignalled && !this.#isOpen(host, port, nowMs))) return false;
    const rank = isSignalled ? 2 : this.#isNear(host) ? 1 : 0;
    const candidate = this.#candidates.placeOf(host, port, rank);
    return (
      candidate !== null && candidate.advance(packet.ssrc, packet.sequenceNumber, nowMs) >= PACKETS_NEEDED
    );
  }

  /** Whether a source that was not signalled may be the peer's now. */
  #isOpen(host: string, port: number, nowMs: number): boolean {
    const isFormer = port === this.#formerPort && host === this.#formerHost;
    if (isFormer && nowMs - this.#signalledAtMs < RELATCH_AFTER_MS) return false;
    if (!this.#isLatched) return true;
    if (this.#isSignalled(this.#heardHost, this.#heardPort) && !this.#signalled.behindNat) return false;
    return nowMs - this.#heardAtMs >= RELATCH_AFTER_MS;
  }

  #isSignalled(host: string, port: number): boolean {
    const { remoteHost, remotePort } = this.#signalled;
    return port === remotePort && host === remoteHost;
  }

  /** A private address from behind a NAT means nothing here, but the signaling comes from somewhere. */
  #isNear(host: string): boolean {
    const { remoteHost, remotePlausible, signalingHost } = this.#signalled;
    return host === signalingHost || (remotePlausible && host === remoteHost);
  }

  #latch(host: string, port: number, ssrc: number | null, nowMs: number): void {
    this.#isLatched = true;
    this.#heardHost = host;
    this.#heardPort = port;
    this.#ssrc = ssrc;
    this.#heardAtMs = nowMs;
    this.#candidates.clear();
    if (!this.#signalled.behindNat && !this.#isNear(host) && !this.#isSignalled(host, port)) return;
    this.host = host;
    this.port = port;
  }
}
