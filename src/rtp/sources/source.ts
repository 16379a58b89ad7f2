import { newJitterCounters } from '../../audio/jitter-counters.ts';
import type { VoiceDecoder } from '../codecs/voice-codec.ts';
import { InboundAudio } from '../reception/inbound-audio.ts';
import type { RtpPacket } from '../rtp-packet.ts';

/** The source is in no stream now: another one speaks in the stream it was in. */
const NO_STREAM = -1;

/** One speaker: a jitter buffer, a decoder and their statistics. */
export class Source {
  readonly id: number;
  readonly counters = newJitterCounters();
  voice: number;
  /** Wall-clock time of the tick that read its last packet. */
  heardAtMs: number;
  /** SSRC of the stream in which it speaks. Sequence numbers are the stream's. */
  stream = NO_STREAM;
  readonly #audio: InboundAudio;

  /** Takes ownership of the decoder. */
  constructor(
    id: number,
    voice: number,
    { decoder, roomRateHz, maxJitterDelayMs }: SourceDeps,
    nowMs: number,
  ) {
    this.id = id;
    this.voice = voice;
    this.heardAtMs = nowMs;
    this.#audio = new InboundAudio(decoder, roomRateHz, this.counters, maxJitterDelayMs);
  }

  /**
   * Inserts a packet of the stream in which it speaks. An empty one only shows that nothing was lost. Returns false when
   * the payload is not valid for the codec.
   */
  insert(packet: RtpPacket, arrivalMs: number): boolean {
    if (!this.#audio.knows(packet)) return false;
    if (packet.payloadLength === 0) this.#audio.insertMarker(packet, arrivalMs);
    else this.#audio.insertAudio(packet, arrivalMs);
    return true;
  }

  /** It goes on in another stream, or comes back to one in which another source has spoken. */
  moveTo(stream: number): void {
    this.stream = stream;
    this.#audio.restart();
  }

  /** It no longer speaks in this stream. */
  leave(stream: number): void {
    if (this.stream === stream) this.stream = NO_STREAM;
  }

  /** Delay of the jitter buffer; 0 without a stream. */
  get delayMs(): number {
    return this.#audio.jitter.delayMs;
  }

  /** See `Voice`. */
  get arrivedAtMs(): number | null {
    return this.#audio.frameDueMs;
  }

  /** Fills one frame. Returns false when it is silent; the frame is then zeroed. */
  pull(frame: Int16Array): boolean {
    return this.#audio.pull(frame);
  }

  /** Releases the decoder. */
  close(): void {
    this.#audio.close();
  }
}

interface SourceDeps {
  readonly decoder: VoiceDecoder;
  readonly roomRateHz: number;
  readonly maxJitterDelayMs: number;
}
