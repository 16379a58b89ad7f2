import { FRAME_MS } from '../../../base/frame.ts';
import type { SipMediaConfig } from '../media-protocol.ts';
import { DTMF_PAYLOAD_BYTES, writeDtmfPayload } from './dtmf-event.ts';
import { DtmfSender } from './dtmf-sender.ts';
import { CLOCK_RATE_HZ, FRAME_SAMPLES, g711Codec } from './g711-codec.ts';
import type { RtpMemory } from './rtp-memory.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from './rtp-packet.ts';
import { SRTP_TRAILER_BYTES, type SrtpSession } from './srtp.ts';

const PACKET_BYTES = RTP_HEADER_BYTES + FRAME_SAMPLES + SRTP_TRAILER_BYTES;
/** The timeline may run this far behind the clock before it is put right: more than a late engine catches up. */
const MAX_BEHIND_FRAMES = 8;

/** Sends a finished packet: the first `length` of `bytes`, which are used again at once. */
export type SendPacket = (bytes: Uint8Array, length: number) => void;

/**
 * Sends one packet of 20 ms a tick: voice, silence or a DTMF event, on one timeline. Timestamps follow the ticks,
 * and the clock where ticks were left out, as during a hold or while the session changed workers.
 */
export class RtpSender {
  readonly dtmf = new DtmfSender(FRAME_SAMPLES);
  readonly #memory: RtpMemory;
  readonly #send: SendPacket;
  readonly #bytes = new Uint8Array(PACKET_BYTES);
  #sequence: number;
  #timestamp: number;
  #anchorTimestamp: number;
  #anchorMs: number;
  #needsMarker = true;

  constructor(memory: RtpMemory, nowMs: number, send: SendPacket) {
    this.#memory = memory;
    this.#send = send;
    this.#sequence = memory.sentSequence;
    this.#timestamp = memory.sentTimestamp;
    this.#anchorTimestamp = memory.sentTimestamp;
    this.#anchorMs = memory.resumed ? memory.sentAtMs : nowMs;
  }

  /** Sends the frame of this tick. `nowMs` is wall-clock time, the only one that two workers share. */
  push(
    frame: Int16Array,
    voiced: boolean,
    config: SipMediaConfig,
    srtp: SrtpSession | null,
    nowMs: number,
  ): void {
    this.#advance(nowMs);
    const bytes = this.#bytes;
    const isEvent = config.dtmfPayloadType !== null && this.dtmf.tick(this.#timestamp);
    const length = isEvent
      ? this.#writeEvent(bytes, config.dtmfPayloadType ?? 0)
      : this.#writeAudio(bytes, frame, voiced, config);
    const payloadBytes = length - RTP_HEADER_BYTES;
    this.#send(bytes, srtp === null ? length : srtp.protectRtp(bytes, length, this.#sequence));
    this.#memory.noteSent(this.#sequence, this.#timestamp, payloadBytes, nowMs);
  }

  #advance(nowMs: number): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    const elapsedFrames = Math.floor((nowMs - this.#anchorMs) / FRAME_MS);
    const dueTimestamp = (this.#anchorTimestamp + elapsedFrames * FRAME_SAMPLES) >>> 0;
    const behindSamples = (dueTimestamp - this.#timestamp) | 0;
    if (behindSamples <= MAX_BEHIND_FRAMES * FRAME_SAMPLES) return;
    this.#timestamp = dueTimestamp;
    this.#needsMarker = true;
  }

  #writeAudio(bytes: Uint8Array, frame: Int16Array, voiced: boolean, config: SipMediaConfig): number {
    const { encode, silence } = g711Codec(config.codec);
    this.#writeHeader(bytes, config.payloadType, voiced && this.#needsMarker, this.#timestamp);
    this.#needsMarker = !voiced;
    if (voiced) encode(frame, FRAME_SAMPLES, bytes, RTP_HEADER_BYTES);
    else bytes.fill(silence, RTP_HEADER_BYTES, RTP_HEADER_BYTES + FRAME_SAMPLES);
    return RTP_HEADER_BYTES + FRAME_SAMPLES;
  }

  #writeEvent(bytes: Uint8Array, payloadType: number): number {
    const { event, isFirst, isEnd, startTimestamp, durationSamples } = this.dtmf;
    this.#writeHeader(bytes, payloadType, isFirst, startTimestamp);
    writeDtmfPayload(bytes, RTP_HEADER_BYTES, event, isEnd, durationSamples);
    return RTP_HEADER_BYTES + DTMF_PAYLOAD_BYTES;
  }

  #writeHeader(bytes: Uint8Array, payloadType: number, marker: boolean, timestamp: number): void {
    writeRtpHeader(bytes, payloadType, marker, this.#sequence, timestamp, this.#memory.localSsrc);
  }

  /** RTP time at `nowMs`, for sender reports. */
  timestampAt(nowMs: number): number {
    const sinceMs = Math.max(nowMs - this.#memory.sentAtMs, 0);
    return (this.#memory.sentTimestamp + Math.round((sinceMs * CLOCK_RATE_HZ) / 1000)) >>> 0;
  }
}
