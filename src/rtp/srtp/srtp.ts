import { RTP_HEADER_BYTES, type RtpPacket, readUint32, writeUint32 } from '../rtp-packet.ts';
import type { SrtpKeys } from '../rtp-protocol.ts';
import type { RtpState } from '../rtp-state.ts';
import { deriveSessionKeys, RTCP_LABEL, RTP_LABEL, SrtpCipher } from './srtp-cipher.ts';

/** Free space needed after a packet: the SRTCP index and the longest tag. */
export const SRTP_TRAILER_BYTES = 14;

const RTCP_CLEAR_BYTES = 8;
const RTCP_INDEX_BYTES = 4;
/** RFC 4568 section 6.2: RTCP uses the 80-bit tag with both suites. */
const RTCP_TAG_BYTES = 10;
const ENCRYPTED_FLAG = 0x8000_0000;
const HALF_SEQUENCE = 0x8000;
const ROC_STEP = 0x1_0000;
/** Streams of the peer at a time. Another one takes the place of the one with the fewest packets. */
const STREAMS = 4;
/** Packet indices that a replay window remembers. */
const WINDOW = 64;

/**
 * Encrypts the packets a leg sends, of one SSRC, and decrypts those it receives (RFC 3711). Sequence numbers are 32 bits
 * wide; the upper half is the roll-over counter. Ours and those of the peer's busiest stream are kept in the RtpState, so a
 * leg that is reopened stays in step with its peer.
 */
export class SrtpSession {
  readonly #memory: RtpState;
  readonly #outRtp: SrtpCipher;
  readonly #inRtp: SrtpCipher;
  readonly #outRtcp: SrtpCipher;
  readonly #inRtcp: SrtpCipher;
  readonly #streams = Array.from({ length: STREAMS }, () => new InboundStream());
  #busiest = this.#streams[0]!;
  readonly #rtcpReplay = new ReplayWindow();

  constructor(keys: SrtpKeys, memory: RtpState) {
    const tagBytes = keys.suite === 'AES_CM_128_HMAC_SHA1_32' ? 4 : 10;
    this.#memory = memory;
    this.#outRtp = new SrtpCipher(deriveSessionKeys(keys.localKey, RTP_LABEL), tagBytes);
    this.#inRtp = new SrtpCipher(deriveSessionKeys(keys.remoteKey, RTP_LABEL), tagBytes);
    this.#outRtcp = new SrtpCipher(deriveSessionKeys(keys.localKey, RTCP_LABEL), RTCP_TAG_BYTES);
    this.#inRtcp = new SrtpCipher(deriveSessionKeys(keys.remoteKey, RTCP_LABEL), RTCP_TAG_BYTES);
    if (memory.remoteSequence > 0) this.#busiest.resume(memory.remoteSsrc, memory.remoteSequence);
    if (memory.srtcpReceived > 0) this.#rtcpReplay.restart(memory.srtcpReceived);
  }

  /** Encrypts and signs an outgoing packet, without CSRCs or extension, in place. Returns its new length. */
  protectRtp(bytes: Uint8Array, length: number, sequence: number): number {
    this.#outRtp.crypt(bytes.subarray(RTP_HEADER_BYTES, length), this.#memory.localSsrc, sequence);
    return this.#outRtp.sign(bytes, length, Math.floor(sequence / ROC_STEP));
  }

  /**
   * Verifies and decrypts a packet in place and removes the tag from its payload. The packet must start at offset 0 of
   * its array. Returns false when it is not authentic or is a replay.
   */
  unprotectRtp(packet: RtpPacket): boolean {
    const tagBytes = this.#inRtp.tagBytes;
    const end = packet.end - tagBytes;
    if (packet.payloadLength < tagBytes) return false;
    const known = this.#streamOf(packet.ssrc);
    const sequence = known === null ? packet.sequenceNumber : known.extend(packet.sequenceNumber);
    if (sequence < 0 || (known !== null && !known.replay.isFresh(sequence))) return false;
    if (!this.#inRtp.verify(packet.bytes, end, Math.floor(sequence / ROC_STEP))) return false;
    this.#inRtp.crypt(packet.bytes.subarray(packet.payloadOffset, end), packet.ssrc, sequence);
    packet.payloadLength -= tagBytes;
    this.#note(known ?? this.#adopt(packet.ssrc, sequence), sequence);
    return true;
  }

  #streamOf(ssrc: number): InboundStream | null {
    for (const stream of this.#streams) if (stream.ssrc === ssrc) return stream;
    return null;
  }

  /** Accepts a new stream. Its roll-over counter starts at zero. */
  #adopt(ssrc: number, sequence: number): InboundStream {
    const place = this.#streams.reduce((least, each) => (each.received < least.received ? each : least));
    place.begin(ssrc, sequence);
    return place;
  }

  #note(stream: InboundStream, sequence: number): void {
    stream.note(sequence);
    if (stream.received >= this.#busiest.received) this.#busiest = stream;
    if (stream === this.#busiest) this.#memory.noteReceived(stream.ssrc!, stream.highest);
  }

  /** Encrypts and signs an outgoing compound RTCP packet in place. Returns its new length. */
  protectRtcp(bytes: Uint8Array, length: number): number {
    const index = (this.#memory.srtcpSent + 1) % ENCRYPTED_FLAG;
    this.#memory.srtcpSent = index;
    this.#outRtcp.crypt(bytes.subarray(RTCP_CLEAR_BYTES, length), this.#memory.localSsrc, index);
    writeUint32(bytes, length, ENCRYPTED_FLAG + index);
    return this.#outRtcp.sign(bytes, length + RTCP_INDEX_BYTES, null);
  }

  /** Verifies and decrypts a packet in place. Returns the length of the plain packet, or −1 when it is rejected. */
  unprotectRtcp(bytes: Uint8Array): number {
    const end = bytes.length - RTCP_TAG_BYTES - RTCP_INDEX_BYTES;
    if (end < RTCP_CLEAR_BYTES) return -1;
    const word = readUint32(bytes, end);
    const index = word % ENCRYPTED_FLAG;
    if (!this.#rtcpReplay.isFresh(index)) return -1;
    if (!this.#inRtcp.verify(bytes, end + RTCP_INDEX_BYTES, null)) return -1;
    if (word >= ENCRYPTED_FLAG)
      this.#inRtcp.crypt(bytes.subarray(RTCP_CLEAR_BYTES, end), readUint32(bytes, 4), index);
    this.#rtcpReplay.note(index);
    this.#memory.srtcpReceived = Math.max(this.#memory.srtcpReceived, index);
    return end;
  }
}

/** What is known of one stream of the peer. Objects are reused. */
class InboundStream {
  ssrc: number | null = null;
  received = 0;
  highest = 0;
  readonly replay = new ReplayWindow();

  begin(ssrc: number, sequence: number): void {
    this.ssrc = ssrc;
    this.received = 0;
    this.highest = sequence;
    this.replay.restart(-1);
  }

  /** Goes on with a stream of which an earlier worker has heard. */
  resume(ssrc: number, sequence: number): void {
    this.begin(ssrc, sequence);
    this.received = 1;
    this.replay.restart(sequence);
  }

  note(sequence: number): void {
    this.received++;
    this.replay.note(sequence);
    this.highest = Math.max(this.highest, sequence);
  }

  /** RFC 3711 section 3.3.1: extends to the 32-bit number nearest to the highest one received. */
  extend(sequenceNumber: number): number {
    const roc = this.highest - (this.highest % ROC_STEP);
    const ahead = roc + sequenceNumber - this.highest;
    if (ahead > HALF_SEQUENCE) return roc + sequenceNumber - ROC_STEP;
    if (ahead < -HALF_SEQUENCE) return roc + sequenceNumber + ROC_STEP;
    return roc + sequenceNumber;
  }
}

/** Replay window over the last 64 packet indices (RFC 3711 section 3.3.2). */
export class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(-1);
  #floor = -1;
  #highest = -1;

  /** Restarts the window after `highest`. All indices up to it count as received. */
  restart(highest: number): void {
    this.#seen.fill(-1);
    this.#floor = highest;
    this.#highest = highest;
  }

  isFresh(index: number): boolean {
    return index > this.#floor && index > this.#highest - WINDOW && this.#seen[index % WINDOW] !== index;
  }

  /** Records the index of an authenticated packet. */
  note(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}
