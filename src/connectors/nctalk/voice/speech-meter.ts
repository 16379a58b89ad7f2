import { isOpusPause, isOpusVoiceless } from '../../../audio/opus-packet.ts';
import type { RtpPacket } from '../../../rtp/rtp-packet.ts';

/** Louder than this counts as speech: dB below the loudest that there is. */
const SPEECH_LEVEL_DB = 50;
const FIRST_CELT = 16;
/** A packet this much longer than those of the background has something in it. */
const LOUD_FACTOR = 1.25;
const LOUD_BYTES = 10;
const FALL = 0.3;
const RISE = 0.005;
/** Packets in a row that have to be loud: a click is not speech. */
const LOUD_PACKETS = 3;
const SILENT_AFTER_MS = 400;

/**
 * Whether somebody speaks, as seen from their packets, which are not decoded for that: by the loudness that the sender has
 * written into the header; without it by the voice activity that the encoder has noted in the packet (SILK, and so speech at
 * usual bitrates); and without both by the length of the packet.
 */
export class SpeechMeter {
  isSpeaking = false;
  #loudPackets = 0;
  #loudAtMs = 0;
  /** Length of the packets of the background. */
  #floorBytes = Number.POSITIVE_INFINITY;

  /** Takes a packet. `levelDb`: -1 when the header does not tell. Returns whether `isSpeaking` has changed. */
  hear(packet: RtpPacket, levelDb: number, arrivalMs: number): boolean {
    if (!this.#isLoud(packet, levelDb)) {
      this.#loudPackets = 0;
      return this.look(arrivalMs);
    }
    this.#loudAtMs = arrivalMs;
    this.#loudPackets++;
    if (this.isSpeaking || this.#loudPackets < LOUD_PACKETS) return false;
    this.isSpeaking = true;
    return true;
  }

  /** Time has passed. Returns whether `isSpeaking` has changed. */
  look(nowMs: number): boolean {
    if (!this.isSpeaking || nowMs - this.#loudAtMs < SILENT_AFTER_MS) return false;
    this.isSpeaking = false;
    return true;
  }

  #isLoud({ bytes, payloadOffset, payloadLength }: RtpPacket, levelDb: number): boolean {
    if (isOpusPause(payloadLength)) return false;
    if (levelDb >= 0) return levelDb < SPEECH_LEVEL_DB;
    if (bytes[payloadOffset]! >> 3 < FIRST_CELT) return !isOpusVoiceless(bytes, payloadOffset, payloadLength);
    return this.#isLong(payloadLength);
  }

  #isLong(length: number): boolean {
    if (length < this.#floorBytes && this.#floorBytes === Number.POSITIVE_INFINITY) this.#floorBytes = length;
    const isLong = length > this.#floorBytes * LOUD_FACTOR + LOUD_BYTES;
    this.#floorBytes += (length - this.#floorBytes) * (length < this.#floorBytes ? FALL : RISE);
    return isLong;
  }
}
