import { randomBytes } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { MEDIA_MEMORY_BYTES } from '../media/media-leg.ts';

/*
 * State of an RTP session that must survive its worker, in the call's shared memory:
 *
 *   byte   0 ┌──────────────────────┬──────────────────────┐
 *            │ STARTED              │ LOCAL_SSRC           │
 *          8 ├──────────────────────┼──────────────────────┤
 *            │ SENT_SEQUENCE (32)   │ SENT_TIMESTAMP       │  the last packet sent; the number counts on past
 *         16 ├──────────────────────┴──────────────────────┤  16 bits, its upper half is SRTP's ROC
 *            │ SENT_AT_MS (float64, wall clock)            │
 *         24 ├──────────────────────┬──────────────────────┤
 *            │ PACKETS_SENT         │ OCTETS_SENT          │
 *         32 ├──────────────────────┼──────────────────────┤
 *            │ REMOTE_SSRC          │ REMOTE_SEQUENCE (32) │  highest received, upper half: ROC
 *         40 ├──────────────────────┼──────────────────────┤
 *            │ SRTCP_SENT           │ SRTCP_RECEIVED       │
 *         48 ├──────────────────────┼──────────────────────┤
 *            │ REMOTE_PORT          │ REMOTE_HOST_BYTES    │  where the peer's packets come from; 0: not known
 *         56 ├──────────────────────┴──────────────────────┤
 *            │ REMOTE_HOST (48 bytes of ASCII)             │
 *        104 ├─────────────────────────────────────────────┤
 *            │ CNAME (12 bytes)                            │
 *        116 ├──────────────────────┬──────────────────────┤
 *            │ HEARD_SSRC           │ HEARD_SEQUENCE (16)  │  the last packet of the voice, 65,536: none
 *        124 └──────────────────────┴──────────────────────┘
 *
 * Only one thread writes at a time, and the next one reads only after the previous one is gone, so plain stores do.
 */
const STARTED = 0;
const LOCAL_SSRC = 1;
const SENT_SEQUENCE = 2;
const SENT_TIMESTAMP = 3;
const SENT_AT_MS = 2;
const PACKETS_SENT = 6;
const OCTETS_SENT = 7;
const REMOTE_SSRC = 8;
const REMOTE_SEQUENCE = 9;
const SRTCP_SENT = 10;
const SRTCP_RECEIVED = 11;
const REMOTE_PORT = 12;
const REMOTE_HOST_BYTES = 13;
const REMOTE_HOST_OFFSET = 56;
const REMOTE_HOST_MAX_BYTES = 48;
const CNAME_OFFSET = 104;
const CNAME_BYTES = 12;
const CNAME_END = CNAME_OFFSET + CNAME_BYTES;
const HEARD_SSRC = 29;
const HEARD_SEQUENCE = 30;
const END_OFFSET = 124;
/** Of 16 bits. */
const NO_SEQUENCE = 0x1_0000;

/** Ten seconds of the shortest packets. With more missing, the stream is another one. */
const MOST_MISSED = 4_000;

/** The state of an RTP session in shared memory. New memory is initialised with random values. */
export class RtpState {
  /** Whether a previous worker has already sent in this session. */
  readonly resumed: boolean;
  readonly #words: Uint32Array;
  readonly #times: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    assert(
      memory.byteLength >= MEDIA_MEMORY_BYTES && END_OFFSET <= MEDIA_MEMORY_BYTES,
      'the media memory is too small',
    );
    this.#words = new Uint32Array(memory);
    this.#times = new Float64Array(memory);
    this.#bytes = new Uint8Array(memory);
    this.resumed = this.#words[STARTED] === 1;
    if (!this.resumed) this.#draw();
  }

  /**
   * RFC 3550 section 5.1: all three start at random. The sequence number starts in the lower half (RFC 3711 section
   * 3.3.1).
   */
  #draw(): void {
    const random = randomBytes(12 + CNAME_BYTES);
    this.#words[LOCAL_SSRC] = random.readUInt32BE(0);
    this.#words[SENT_SEQUENCE] = random.readUInt16BE(4) & 0x7fff;
    this.#words[SENT_TIMESTAMP] = random.readUInt32BE(8);
    this.#bytes.set(random.subarray(12), CNAME_OFFSET);
    this.#words[HEARD_SEQUENCE] = NO_SEQUENCE;
  }

  get localSsrc(): number {
    return this.#words[LOCAL_SSRC]!;
  }

  /** Canonical name (RFC 7022): short-term persistent, from random bytes. */
  get cname(): string {
    return Buffer.from(this.#bytes.subarray(CNAME_OFFSET, CNAME_END)).toString('base64url');
  }

  get sentSequence(): number {
    return this.#words[SENT_SEQUENCE]!;
  }

  get sentTimestamp(): number {
    return this.#words[SENT_TIMESTAMP]!;
  }

  get sentAtMs(): number {
    return this.#times[SENT_AT_MS]!;
  }

  get packetsSent(): number {
    return this.#words[PACKETS_SENT]!;
  }

  get octetsSent(): number {
    return this.#words[OCTETS_SENT]!;
  }

  noteSent(sequence: number, timestamp: number, payloadBytes: number, atMs: number): void {
    const words = this.#words;
    words[SENT_SEQUENCE] = sequence;
    words[SENT_TIMESTAMP] = timestamp;
    this.#times[SENT_AT_MS] = atMs;
    words[PACKETS_SENT] = words[PACKETS_SENT]! + 1;
    words[OCTETS_SENT] = words[OCTETS_SENT]! + payloadBytes;
    words[STARTED] = 1;
  }

  get remoteSsrc(): number {
    return this.#words[REMOTE_SSRC]!;
  }

  get remoteSequence(): number {
    return this.#words[REMOTE_SEQUENCE]!;
  }

  noteReceived(ssrc: number, sequence: number): void {
    this.#words[REMOTE_SSRC] = ssrc;
    this.#words[REMOTE_SEQUENCE] = sequence;
  }

  /** Records a packet of the voice that is played. */
  noteHeard(ssrc: number, sequence: number): void {
    this.#words[HEARD_SSRC] = ssrc;
    this.#words[HEARD_SEQUENCE] = sequence;
  }

  /** Number of packets of this stream between the last one that was heard and this one; 0 for another stream. */
  missedBefore(ssrc: number, sequence: number): number {
    const last = this.#words[HEARD_SEQUENCE]!;
    if (last === NO_SEQUENCE || this.#words[HEARD_SSRC] !== ssrc) return 0;
    const missed = (sequence - last - 1) & 0xffff;
    return missed <= MOST_MISSED ? missed : 0;
  }

  get srtcpSent(): number {
    return this.#words[SRTCP_SENT]!;
  }

  set srtcpSent(index: number) {
    this.#words[SRTCP_SENT] = index;
  }

  get srtcpReceived(): number {
    return this.#words[SRTCP_RECEIVED]!;
  }

  set srtcpReceived(index: number) {
    this.#words[SRTCP_RECEIVED] = index;
  }

  /** Port from which the peer's packets arrive; 0 while unknown. */
  get remotePort(): number {
    return this.#words[REMOTE_PORT]!;
  }

  get remoteHost(): string {
    const length = this.#words[REMOTE_HOST_BYTES]!;
    return Buffer.from(this.#bytes.slice(REMOTE_HOST_OFFSET, REMOTE_HOST_OFFSET + length)).toString('latin1');
  }

  noteRemote(host: string, port: number): void {
    const length = Math.min(host.length, REMOTE_HOST_MAX_BYTES);
    for (let i = 0; i < length; i++) this.#bytes[REMOTE_HOST_OFFSET + i] = host.charCodeAt(i);
    this.#words[REMOTE_HOST_BYTES] = length;
    this.#words[REMOTE_PORT] = port;
  }
}
