import type { SourceAddress } from '../paths/packet-path.ts';
import type { RtpPacket } from '../rtp-packet.ts';
import type { RtpConfig } from '../rtp-protocol.ts';

/** Silence after which another source may replace the current one. */
const RELATCH_AFTER_MS = 2_000;
/** Consecutive audio packets, 100 ms in all, before a source that was not signalled is accepted. */
const PACKETS_NEEDED = 5;

/** Candidates considered at a time. */
const PLACES = 4;
/** Largest step between sequence numbers within a row, to allow for loss. */
const MAX_STEP = 3;
/** A longer pause starts a new row. */
const MAX_PAUSE_MS = 1_000;

/** The signaling's information about the source of the peer's packets. */
export type SignalledSource = Pick<
  RtpConfig,
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
 * Decides which packets are the peer's and where ours are sent. The signalled address has priority: its packets are
 * accepted at once, and while it sends, no other source is. A peer behind a NAT sends from another port, or from the host of
 * its signaling, so another source on a host that signaling has shown is accepted after five audio packets in a row, as
 * long as the signalled address has sent nothing, and our audio follows it. Other hosts are strangers. A peer declared as
 * `behindNat` may be anywhere, and a signalled source of it that has fallen silent can be replaced.
 */
export class SourceLatch {
  /** Destination of our packets; port 0 while it is unknown. */
  host = '';
  port = 0;
  /** Host of the accepted source, for a later worker. */
  heardHost = '';
  heardPort = 0;
  #signalled = NOWHERE;
  #isLatched = false;
  #heardAtMs = 0;
  /** The source before a new session description. Its last packets may still arrive. */
  #formerHost = '';
  #formerPort = 0;
  #signalledAtMs = 0;
  readonly #candidates = new SourceCandidates();

  /**
   * Sets the signalled address, or null when it must not be used. Returns true when the address has changed, which
   * reopens the latch.
   */
  signal(source: SignalledSource, nowMs: number): boolean {
    const { remoteHost, remotePort } = this.#signalled;
    this.#signalled = source;
    if (source.remoteHost === remoteHost && source.remotePort === remotePort) return false;
    this.#formerHost = this.#isLatched ? this.heardHost : '';
    this.#formerPort = this.#isLatched ? this.heardPort : 0;
    this.#signalledAtMs = nowMs;
    this.host = source.remoteHost ?? '';
    this.port = source.remotePort;
    this.#isLatched = false;
    this.#candidates.clear();
    return true;
  }

  /** Restores the source that a previous worker had latched to. */
  resume(host: string, port: number, nowMs: number): void {
    this.#latch(host, port, nowMs);
  }

  /** Classifies a valid packet: from the current source, the first of a new source, or from a stranger. */
  judge(
    packet: RtpPacket,
    isAudio: boolean,
    from: SourceAddress,
    nowMs: number,
  ): 'current' | 'new' | 'stranger' {
    const { address: host, port } = from;
    const isSource = this.#isLatched && port === this.heardPort && host === this.heardHost;
    if (isSource) {
      this.#heardAtMs = nowMs;
      return 'current';
    }
    if (!this.#mayBecomeSource(packet, isAudio, from, nowMs)) return 'stranger';
    this.#latch(host, port, nowMs);
    return 'new';
  }

  /** Whether an RTCP packet may come from the peer. Its port is not checked, because a NAT changes it. */
  isPeer(host: string): boolean {
    if (this.#isLatched) return host === this.heardHost;
    return host === this.#signalled.remoteHost || this.#isNear(host);
  }

  /** Whether RTP from there is the peer's, even of a type that proves nothing. */
  isPeersAddress({ address: host, port }: SourceAddress): boolean {
    return this.#isLatched
      ? port === this.heardPort && host === this.heardHost
      : this.#isSignalled(host, port);
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

  /** Whether a source that was not signalled may be accepted now. */
  #isOpen(host: string, port: number, nowMs: number): boolean {
    const isFormer = port === this.#formerPort && host === this.#formerHost;
    if (isFormer && nowMs - this.#signalledAtMs < RELATCH_AFTER_MS) return false;
    if (!this.#signalled.behindNat && !this.#isNear(host)) return false;
    if (!this.#isLatched) return true;
    if (this.#isSignalled(this.heardHost, this.heardPort) && !this.#signalled.behindNat) return false;
    return nowMs - this.#heardAtMs >= RELATCH_AFTER_MS;
  }

  #isSignalled(host: string, port: number): boolean {
    const { remoteHost, remotePort } = this.#signalled;
    return port === remotePort && host === remoteHost;
  }

  /**
   * Whether the host is that of the signaling or a plausible signalled address. A private address behind a NAT is not
   * plausible.
   */
  #isNear(host: string): boolean {
    const { remoteHost, remotePlausible, signalingHost } = this.#signalled;
    return host === signalingHost || (remotePlausible && host === remoteHost);
  }

  #latch(host: string, port: number, nowMs: number): void {
    this.#isLatched = true;
    this.heardHost = host;
    this.heardPort = port;
    this.#heardAtMs = nowMs;
    this.#candidates.clear();
    if (!this.#signalled.behindNat && !this.#isNear(host) && !this.#isSignalled(host, port)) return;
    this.host = host;
    this.port = port;
  }
}

/** A source that may turn out to be the peer. Objects are reused. */
class Candidate {
  rank = -1;
  atMs = 0;
  #host = '';
  #port = 0;
  #ssrc = 0;
  #sequenceNumber = 0;
  #count = 0;

  is(host: string, port: number): boolean {
    return port === this.#port && host === this.#host;
  }

  begin(host: string, port: number, rank: number): void {
    this.#host = host;
    this.#port = port;
    this.rank = rank;
    this.#count = 0;
  }

  /** Records a packet and returns the length of the row. */
  advance(ssrc: number, sequenceNumber: number, nowMs: number): number {
    const step = (sequenceNumber - this.#sequenceNumber) & 0xffff;
    const isNext = this.#ssrc === ssrc && step >= 1 && step <= MAX_STEP && nowMs - this.atMs <= MAX_PAUSE_MS;
    this.#count = isNext && this.#count > 0 ? this.#count + 1 : 1;
    this.#ssrc = ssrc;
    this.#sequenceNumber = sequenceNumber;
    this.atMs = nowMs;
    return this.#count;
  }

  /** Whether this candidate is replaced before the other one: lower rank first, then the longer silence. */
  isWeakerThan(other: Candidate): boolean {
    return this.rank < other.rank || (this.rank === other.rank && this.atMs < other.atMs);
  }
}

/**
 * Candidates for the peer's source and the number of packets each has sent in a row. Packets from other sources do not
 * interrupt a row; otherwise anyone could keep the peer out by sending as well. There are few places, and a source of
 * higher rank replaces one of lower rank.
 */
class SourceCandidates {
  readonly #places = Array.from({ length: PLACES }, () => new Candidate());

  clear(): void {
    for (const place of this.#places) place.begin('', 0, -1);
  }

  /** Returns the place of a source, taking another's if necessary. Null when sources of higher rank hold all places. */
  placeOf(host: string, port: number, rank: number): Candidate | null {
    let weakest = this.#places[0]!;
    for (const place of this.#places) {
      if (place.is(host, port)) return place;
      if (place.isWeakerThan(weakest)) weakest = place;
    }
    if (weakest.rank > rank) return null;
    weakest.begin(host, port, rank);
    return weakest;
  }
}
