import { Resampler } from '../../audio/resampler.ts';
import { assert } from '../../base/assert.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { MAX_SENT_PAYLOAD_BYTES, type VoiceEncoder } from '../codecs/voice-codec.ts';
import type { VoiceCodecs } from '../codecs/voice-codecs.ts';
import { DTMF_PAYLOAD_BYTES } from '../dtmf/dtmf-event.ts';
import { DtmfSender } from '../dtmf/dtmf-sender.ts';
import { type DtmfTone, dtmfToneAt } from '../dtmf/dtmf-tone.ts';
import { RTP_HEADER_BYTES, type RtpHeader, writeRtpHeader } from '../rtp-packet.ts';
import type { RtpCodec, RtpConfig } from '../rtp-protocol.ts';
import type { RtpState } from '../rtp-state.ts';
import { SRTP_TRAILER_BYTES, type SrtpSession } from '../srtp/srtp.ts';

/** The packet being written. A thread writes one at a time, and a single buffer stays in the CPU cache. */
const packet = new Uint8Array(RTP_HEADER_BYTES + MAX_SENT_PAYLOAD_BYTES + SRTP_TRAILER_BYTES);
/** The header of `packet`. */
const header: RtpHeader = { payloadType: 0, marker: false, sequenceNumber: 0, timestamp: 0, ssrc: 0 };
/** Lag behind the clock at which the timeline is corrected; more than a late engine catches up. */
const MAX_BEHIND_FRAMES = 8;

/** Weight of a new report. After a bad report, two to five clean ones switch FEC off again. */
const LOSS_WEIGHT = 0.5;
/** FEC takes bits from the voice, so isolated losses are left to the peer's concealment. */
const FEC_BEGINS_AT = 0.02;
const FEC_ENDS_BELOW = 0.01;
/** At 24 kbit/s, libopus sends no FEC for values up to 5 (`decide_fec` of libopus 1.3). Values above 25 add no more. */
const LEAST_PERCENT = 6;
const MOST_PERCENT = 25;

/** Sends a finished packet: the first `length` of `bytes`. The buffer is reused right after the call. */
export type SendPacket = (bytes: Uint8Array, length: number) => void;

/** What is sent. */
export type SentMedia = Pick<
  RtpConfig,
  'codec' | 'payloadType' | 'dtmfPayloadType' | 'dtmfClockRateHz' | 'opus'
>;

interface RtpSenderDeps {
  readonly memory: RtpState;
  readonly nowMs: number;
  readonly send: SendPacket;
}

/**
 * Sends one packet of 20 ms per tick (voice, silence, or a digit as event or tone) on one timeline. Timestamps follow
 * the ticks, or the clock where ticks were skipped, as during a hold or a move between workers.
 */
export class RtpSender {
  readonly dtmf = new DtmfSender();
  readonly #codecs: VoiceCodecs;
  readonly #roomRateHz: number;
  readonly #memory: RtpState;
  readonly #send: SendPacket;
  readonly #tone: DtmfTone;
  readonly #expectedLoss = new ExpectedLoss();
  /** Null before the first configuration. */
  #encoder: VoiceEncoder | null = null;
  #config: SentMedia | null = null;
  #srtp: SrtpSession | null = null;
  #codec: RtpCodec | null = null;
  #frameTicks = 0;
  /** Null when the codec's rate equals the room's. */
  #fromRoom: Resampler | null = null;
  #sequence: number;
  #timestamp: number;
  #anchorTimestamp: number;
  #anchorMs: number;
  #needsMarker = true;

  constructor(codecs: VoiceCodecs, roomRateHz: number, { memory, nowMs, send }: RtpSenderDeps) {
    this.#codecs = codecs;
    this.#roomRateHz = roomRateHz;
    this.#tone = dtmfToneAt(roomRateHz);
    this.#memory = memory;
    this.#send = send;
    this.#sequence = memory.sentSequence;
    this.#timestamp = memory.sentTimestamp;
    this.#anchorTimestamp = memory.sentTimestamp;
    this.#anchorMs = memory.resumed ? memory.sentAtMs : nowMs;
  }

  /** Rate of the RTP timestamps. */
  get clockRateHz(): number {
    return (this.#frameTicks * 1000) / FRAME_MS;
  }

  configure(config: SentMedia, srtp: SrtpSession | null, nowMs: number): void {
    const { codec, opus, dtmfClockRateHz } = config;
    this.#config = config;
    this.#srtp = srtp;
    if (codec !== this.#codec) this.#change(codec, nowMs);
    this.#encoder?.adapt(opus);
    this.dtmf.setClock(dtmfClockRateHz);
  }

  /** Records the share of our packets, 0 to 1, that the peer lost since its previous report. */
  noteLoss(share: number): void {
    if (this.#expectedLoss.report(share)) this.#encoder?.expectLoss(this.#expectedLoss.percent);
  }

  #change(codec: RtpCodec, nowMs: number): void {
    const encoder = this.#codecs.encoder(codec, this.#roomRateHz);
    encoder.expectLoss(this.#expectedLoss.percent);
    this.#encoder?.close();
    this.#encoder = encoder;
    this.#codec = codec;
    const { sampleRateHz } = encoder;
    const roomSamples = frameSamples(this.#roomRateHz);
    const isRoomRate = sampleRateHz === this.#roomRateHz;
    this.#fromRoom = isRoomRate ? null : new Resampler(this.#roomRateHz, sampleRateHz, roomSamples);
    this.#setClock(encoder.clockRateHz, nowMs);
  }

  /** Continues the timestamps at the new clock rate (RFC 7160 section 4.1). */
  #setClock(clockRateHz: number, nowMs: number): void {
    const frameTicks = (clockRateHz * FRAME_MS) / 1000;
    if (this.#frameTicks !== 0 && this.#frameTicks !== frameTicks) {
      this.#anchorTimestamp = this.#timestamp;
      this.#anchorMs = nowMs;
    }
    this.#frameTicks = frameTicks;
  }

  /** Releases the encoder. Nothing may be sent afterwards. */
  close(): void {
    this.#encoder?.close();
    this.#encoder = null;
  }

  /** Sends the frame of this tick. `nowMs` is wall-clock time, the only clock that two workers share. */
  push(frame: Int16Array, voiced: boolean, nowMs: number): void {
    const config = this.#config;
    assert(config !== null, 'the RTP sender must be configured first');
    const srtp = this.#srtp;
    this.#advance(nowMs);
    const bytes = packet;
    this.dtmf.tick(this.#timestamp);
    const length = this.#write(bytes, frame, voiced, config);
    const payloadBytes = length - RTP_HEADER_BYTES;
    this.#send(bytes, srtp === null ? length : srtp.protectRtp(bytes, length, this.#sequence));
    this.#memory.noteSent(this.#sequence, this.#timestamp, payloadBytes, nowMs);
  }

  /** A digit replaces the audio: as an event, or in band where the peer takes no events. */
  #write(bytes: Uint8Array, frame: Int16Array, voiced: boolean, config: SentMedia): number {
    const { dtmf } = this;
    if (config.dtmfPayloadType !== null && dtmf.isEvent)
      return this.#writeEvent(bytes, config.dtmfPayloadType);
    if (config.dtmfPayloadType !== null || !dtmf.isTone)
      return this.#writeAudio(bytes, frame, voiced, config);
    return this.#writeAudio(bytes, this.#tone.frame(dtmf.event, dtmf.ticks), true, config);
  }

  #advance(nowMs: number): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
    this.#timestamp = (this.#timestamp + this.#frameTicks) >>> 0;
    const elapsedFrames = Math.floor((nowMs - this.#anchorMs) / FRAME_MS);
    const dueTimestamp = (this.#anchorTimestamp + elapsedFrames * this.#frameTicks) >>> 0;
    const behindSamples = (dueTimestamp - this.#timestamp) | 0;
    if (behindSamples <= MAX_BEHIND_FRAMES * this.#frameTicks) return;
    this.#timestamp = dueTimestamp;
    this.#needsMarker = true;
  }

  #writeAudio(bytes: Uint8Array, frame: Int16Array, voiced: boolean, config: SentMedia): number {
    const encoder = this.#encoder;
    assert(encoder !== null, 'the RTP sender must be configured first');
    this.#writeHeader(bytes, config.payloadType, voiced && this.#needsMarker, this.#timestamp);
    this.#needsMarker = !voiced;
    return RTP_HEADER_BYTES + encoder.encode(this.#atCodecsRate(frame), voiced, bytes, RTP_HEADER_BYTES);
  }

  #atCodecsRate(frame: Int16Array): Int16Array {
    return this.#fromRoom === null ? frame : this.#fromRoom.process(frame, frame.length);
  }

  #writeEvent(bytes: Uint8Array, payloadType: number): number {
    const { isFirst, startTimestamp } = this.dtmf;
    this.#writeHeader(bytes, payloadType, isFirst, startTimestamp);
    this.dtmf.writePayload(bytes, RTP_HEADER_BYTES);
    return RTP_HEADER_BYTES + DTMF_PAYLOAD_BYTES;
  }

  #writeHeader(bytes: Uint8Array, payloadType: number, marker: boolean, timestamp: number): void {
    header.payloadType = payloadType;
    header.marker = marker;
    header.sequenceNumber = this.#sequence;
    header.timestamp = timestamp;
    header.ssrc = this.#memory.localSsrc;
    writeRtpHeader(bytes, header);
  }

  /** RTP timestamp at `nowMs`, for sender reports. */
  timestampAt(nowMs: number): number {
    const sinceMs = Math.max(nowMs - this.#memory.sentAtMs, 0);
    return (this.#memory.sentTimestamp + Math.round((sinceMs * this.#frameTicks) / FRAME_MS)) >>> 0;
  }
}

/** Packet loss that the encoder should expect, estimated from the peer's receiver reports (RFC 3550 section 6.4.1). */
export class ExpectedLoss {
  /** Expected loss in percent for libopus; 0 disables FEC. */
  percent = 0;
  #share = 0;

  /**
   * Adds a report: `lostShare` of our packets, 0 to 1, were lost since the previous one. Returns whether `percent`
   * changed.
   */
  report(lostShare: number): boolean {
    const former = this.percent;
    this.#share += (lostShare - this.#share) * LOSS_WEIGHT;
    const isOn = this.#share >= (former > 0 ? FEC_ENDS_BELOW : FEC_BEGINS_AT);
    const percent = Math.min(Math.max(Math.round(this.#share * 100), LEAST_PERCENT), MOST_PERCENT);
    this.percent = isOn ? percent : 0;
    return this.percent !== former;
  }
}
