import type { IceCandidate, IceServer } from '../media/ice.ts';
import { MEDIA_MEMORY_BYTES } from '../media/media-leg.ts';
import { isRtcp, RTP_HEADER_BYTES, RtpPacket, writeUint32 } from '../rtp/rtp-packet.ts';
import { RtpState } from '../rtp/rtp-state.ts';
import { SRTP_TRAILER_BYTES, SrtpSession } from '../rtp/srtp/srtp.ts';
import { audioLevel } from './audio-level.ts';
import { type Certificate, DtlsSession } from './dtls-session.ts';
import { IceAgent } from './ice-agent.ts';
import { chooseIceServers } from './ice-servers.ts';
import { type LocalDescription, OUR_MID, writeAnswer, writeOffer } from './local-description.ts';
import { midOf, type RemoteDescription, readDescription } from './remote-description.ts';

/** From the other side's description to keys for SRTP. */
const CONNECT_DEADLINE_MS = 15_000;
/** Candidates that come before the description. */
const MAX_EARLY_CANDIDATES = 32;
const SSRC_OFFSET = 8;
/** RFC 7983: the first byte of RTP and RTCP. */
const FIRST_RTP = 128;
const LAST_RTP = 191;
const LAST_DTLS = 63;
const SEQUENCE_MODULO = 0x1_0000;

export interface PeerObserver {
  /** A candidate of ours that the description did not have yet. */
  candidate(candidate: IceCandidate): void;
  /** Packets flow from now on. */
  connected(): void;
  /** It could not be connected, or is lost, or the other side has ended it. Nothing follows. */
  failed(reason: string): void;
  /**
   * A packet of the other side's stream of Opus, valid during the call. `levelDb`: as in `audioLevel`. `arrivalMs`: see
   * `wallMs`.
   */
  rtp(packet: RtpPacket, levelDb: number, arrivalMs: number): void;
}

export interface PeerConnectionDeps {
  readonly iceServers: readonly IceServer[];
  /** All media goes through the TURN servers, which hides this machine's addresses. */
  readonly relayOnly?: boolean;
  readonly certificate: Certificate;
  readonly observer: PeerObserver;
}

/** An RTP packet in the clear, without CSRCs, extension or padding: `bytes` from `start` to `end`. */
export interface ClearPacket {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * A WebRTC connection to one peer with one stream of Opus, from us (`offer`) or to us (`answer`), over UDP and IPv4 or a TURN
 * server. There is no renegotiation: for another description there is another connection.
 */
export class PeerConnection {
  readonly #observer: PeerObserver;
  readonly #certificate: Certificate;
  readonly #agent: IceAgent;
  readonly #dtls: DtlsSession;
  /** Of the packets; the connection does not outlive its thread. */
  readonly #state = new RtpState(new SharedArrayBuffer(MEDIA_MEMORY_BYTES));
  readonly #packet = new RtpPacket();
  readonly #ownCandidates: string[] = [];
  #isDescribed = false;
  #earlyCandidates: string[] = [];
  #remote: RemoteDescription | null = null;
  #srtp: SrtpSession | null = null;
  #sequence: number;
  #deadline: NodeJS.Timeout | null = null;
  #isOver = false;

  private constructor({ observer, certificate }: PeerConnectionDeps, agent: IceAgent) {
    this.#observer = observer;
    this.#certificate = certificate;
    this.#agent = agent;
    this.#sequence = this.#state.sentSequence;
    this.#dtls = new DtlsSession({
      certificate,
      send: (bytes) => agent.send(bytes),
      closed: () => this.#fail('the other side has closed the connection'),
    });
  }

  /** `isOffering`: whether `offer` follows, or else `answer`. Rejects when there is no socket to be had. */
  static async open(deps: PeerConnectionDeps, isOffering: boolean): Promise<PeerConnection> {
    const agent: IceAgent = await IceAgent.open({
      isControlling: isOffering,
      servers: chooseIceServers(deps.iceServers),
      relayOnly: deps.relayOnly ?? false,
      observer: {
        candidate: (candidate) => connection.#tell(candidate),
        packet: (bytes, arrivalMs) => connection.#take(bytes, arrivalMs),
        silent: () => connection.#fail('the other side does not answer any more'),
      },
    });
    const connection = new PeerConnection(deps, agent);
    return connection;
  }

  /** Returns the offer of a stream from us. `accept` follows. */
  offer(): string {
    return writeOffer(this.#describe());
  }

  /** Takes the answer. Throws an Error that says what is wrong with it. */
  accept(answer: string): void {
    const remote = readDescription(answer);
    this.#connect(remote, remote.setup === 'passive' ? 'client' : 'server');
  }

  /** Takes the offer of a stream to us and returns the answer. Throws an Error that says what is wrong with it. */
  answer(offer: string): string {
    const remote = readDescription(offer);
    this.#remote = remote;
    const role = remote.setup === 'active' ? 'server' : 'client';
    const answer = writeAnswer(this.#describe(), remote, role === 'client' ? 'active' : 'passive');
    this.#connect(remote, role);
    return answer;
  }

  /** Takes a candidate of the other side, also before its description. What is not of use is ignored. */
  addCandidate(candidate: string): void {
    if (this.#deadline !== null) this.#agent.add(candidate);
    else if (this.#earlyCandidates.length < MAX_EARLY_CANDIDATES) this.#earlyCandidates.push(candidate);
  }

  /** Sends a packet. Its SSRC, payload type and sequence number are replaced. Without a connection it is dropped. */
  send({ bytes, start, end }: ClearPacket): void {
    if (this.#srtp === null) return;
    const length = end - start;
    const packet = Buffer.allocUnsafe(length + SRTP_TRAILER_BYTES);
    packet.set(bytes.subarray(start, end));
    const sequence = this.#sequence++;
    packet[1] = (packet[1]! & 0x80) | this.#remote!.payloadType;
    packet.writeUInt16BE(sequence % SEQUENCE_MODULO, 2);
    writeUint32(packet, SSRC_OFFSET, this.#state.localSsrc);
    this.#agent.send(packet.subarray(0, this.#srtp.protectRtp(packet, length, sequence)));
  }

  /** Nothing is reported any more. Safe to call twice. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#srtp = null;
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#dtls.close();
    this.#agent.close();
  }

  #describe(): LocalDescription {
    this.#agent.gather();
    this.#isDescribed = true;
    return {
      credentials: this.#agent.local,
      fingerprint: this.#certificate.fingerprint,
      candidates: this.#ownCandidates,
      ssrc: this.#state.localSsrc,
      cname: this.#state.cname,
    };
  }

  #connect(remote: RemoteDescription, role: 'client' | 'server'): void {
    if (this.#isOver || this.#deadline !== null) return;
    this.#remote = remote;
    this.#deadline = setTimeout(() => this.#fail('could not connect in time'), CONNECT_DEADLINE_MS);
    this.#agent.setRemote(remote.credentials, remote.isLite);
    for (const candidate of [...remote.candidates, ...this.#earlyCandidates]) this.#agent.add(candidate);
    this.#earlyCandidates = [];
    this.#establish(remote, role).catch(({ message }: Error) => this.#fail(message));
  }

  async #establish({ fingerprints }: RemoteDescription, role: 'client' | 'server'): Promise<void> {
    await this.#agent.connect();
    const keys = await this.#dtls.handshake(role, fingerprints);
    if (this.#isOver) return;
    clearTimeout(this.#deadline!);
    this.#srtp = new SrtpSession(keys, this.#state);
    this.#observer.connected();
  }

  #tell(candidate: string): void {
    if (!this.#isDescribed) return void this.#ownCandidates.push(candidate);
    const { media, index = 0 } = this.#remote ?? {};
    const sdpMid = (media === undefined ? undefined : midOf(media[index]!)) ?? OUR_MID;
    if (!this.#isOver) this.#observer.candidate({ candidate, sdpMid, sdpMLineIndex: index });
  }

  #take(bytes: Buffer, arrivalMs: number): void {
    const first = bytes[0] ?? 0;
    if (first >= FIRST_RTP && first <= LAST_RTP) this.#takeRtp(bytes, arrivalMs);
    else if (first <= LAST_DTLS) this.#dtls.receive(bytes);
  }

  #takeRtp(bytes: Buffer, arrivalMs: number): void {
    const packet = this.#packet;
    const remote = this.#remote;
    if (this.#srtp === null || remote === null || bytes.length < RTP_HEADER_BYTES || isRtcp(bytes[1]!))
      return;
    if (!packet.read(bytes, 0, bytes.length) || packet.payloadType !== remote.payloadType) return;
    if (!this.#srtp.unprotectRtp(packet) || !packet.trimPadding()) return;
    const level = remote.levelExtension === null ? -1 : audioLevel(bytes, remote.levelExtension);
    this.#observer.rtp(packet, level, arrivalMs);
  }

  #fail(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#observer.failed(reason);
  }
}
