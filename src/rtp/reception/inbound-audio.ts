import { JitterBuffer, type Pulled } from '../../audio/jitter-buffer.ts';
import type { JitterCounters } from '../../audio/jitter-counters.ts';
import { MOST_MAX_TARGET_MS } from '../../audio/jitter-target.ts';
import { Resampler } from '../../audio/resampler.ts';
import { IN_SILENCE, SOMETIME, SOON, TimeScaler } from '../../audio/time-scaler.ts';
import { unreachable } from '../../base/assert.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import type { VoiceDecoder } from '../codecs/voice-codec.ts';
import type { RtpPacket } from '../rtp-packet.ts';

const NOTHING = new Int16Array(0);

/**
 * Turns packets of 2.5 to 120 ms into frames of 20 ms at the room's rate: jitter buffer, decoder, concealment, and the
 * change of pace that the jitter buffer asks for.
 */
export class InboundAudio {
  readonly jitter: JitterBuffer;
  readonly #decoder: VoiceDecoder;
  readonly #ticksPerSample: number;
  readonly #frameSamples: number;
  readonly #maxReadySamples: number;
  /**
   * Decoded samples not yet played: the rest of a packet longer than a frame, or of one whose pace was changed. Allocated
   * for the first such packet.
   */
  #ready: Int16Array = NOTHING;
  #readySamples = 0;
  /** Allocated for the first change of pace. */
  #scaler: TimeScaler | null = null;
  #lastPulled: Pulled = 'idle';
  #droppedPackets: number;
  /** Null when the codec's rate equals the room's. */
  readonly #toRoom: Resampler | null;
  readonly #decoded: Int16Array;

  /** Takes ownership of the decoder. */
  constructor(
    decoder: VoiceDecoder,
    roomRateHz: number,
    counters: JitterCounters,
    maxDelayMs = MOST_MAX_TARGET_MS,
  ) {
    const { clockRateHz, sampleRateHz, maxPacketSamples } = decoder;
    this.jitter = new JitterBuffer(decoder, counters, maxDelayMs);
    this.#decoder = decoder;
    this.#ticksPerSample = clockRateHz / sampleRateHz;
    this.#frameSamples = frameSamples(sampleRateHz);
    this.#maxReadySamples = maxPacketSamples + 3 * this.#frameSamples;
    this.#droppedPackets = counters.droppedForDepth;
    const isRoomRate = sampleRateHz === roomRateHz;
    this.#toRoom = isRoomRate ? null : new Resampler(sampleRateHz, roomRateHz, this.#frameSamples);
    this.#decoded = new Int16Array(isRoomRate ? 0 : this.#frameSamples);
  }

  /** Drops all audio of the previous stream and prepares for another one. */
  restart(): void {
    this.jitter.restart();
    this.#decoder.restart();
    this.#keepReady(0);
  }

  /** Whether the payload is valid for the codec. */
  knows(packet: RtpPacket): boolean {
    const { payloadLength } = packet;
    if (payloadLength > this.#decoder.maxPayloadBytes) return false;
    return payloadLength === 0 || this.ticksOf(packet) > 0;
  }

  /** Duration of a packet in ticks of the stream's clock; 0 when its payload is not valid for the codec. */
  ticksOf({ bytes, payloadOffset, payloadLength, payloadType }: RtpPacket): number {
    return this.#decoder.packetTicks(bytes, payloadOffset, payloadLength, payloadType);
  }

  /**
   * When the beginning of the frame that was pulled last would have arrived on time, before any buffer. Null: it was made
   * up. What a change of pace has stretched is dated by its end.
   */
  get frameDueMs(): number | null {
    const { pulledDueMs, durationSamples } = this.jitter;
    if (Number.isNaN(pulledDueMs)) return null;
    const samplesPerMs = this.#decoder.sampleRateHz / 1_000;
    const pulledSamples = durationSamples / this.#ticksPerSample;
    return pulledDueMs + (pulledSamples - this.#readySamples) / samplesPerMs - FRAME_MS;
  }

  insertAudio(packet: RtpPacket, arrivalMs: number): void {
    this.jitter.insert(packet, this.ticksOf(packet), arrivalMs);
  }

  /** Records a packet without audio, so that its sequence number does not count as lost. */
  insertMarker(packet: RtpPacket, arrivalMs: number): void {
    this.jitter.insert(packet, 0, arrivalMs);
  }

  /** Fills one frame. Returns false when there is no stream; the frame is then zeroed. */
  pull(frame: Int16Array): boolean {
    const resampler = this.#toRoom;
    if (resampler === null) return this.#pullDecoded(frame);
    const heard = this.#pullDecoded(this.#decoded);
    const resampled = resampler.process(this.#decoded, this.#frameSamples);
    if (heard) frame.set(resampled);
    else frame.fill(0);
    return heard;
  }

  close(): void {
    this.#decoder.close();
  }

  #pullDecoded(frame: Int16Array): boolean {
    if (this.jitter.pacing.pace !== 'usual') return this.#pullAtPace(frame);
    if (this.#readySamples === 0) return this.#pullWhole(frame);
    return this.#scaler === null ? this.#pullPieces(frame) : this.#pullSettling(frame, this.#scaler);
  }

  /**
   * A change of pace leaves a part of a packet, so each packet is decoded before it is needed, and the one after it, which
   * may help to conceal it, has less time to come. In silence the rest is made a whole frame.
   */
  #pullSettling(frame: Int16Array, scaler: TimeScaler): boolean {
    const missing = this.#frameSamples - this.#readySamples;
    if (missing <= 0 || this.#lastPulled !== 'packet' || this.#pulledSamples() !== this.#frameSamples)
      return this.#pullPieces(frame);
    this.#addPiece();
    if (this.#lastPulled !== 'packet') return this.#pullPieces(frame);
    const taken = scaler.lengthen(this.#ready, missing, IN_SILENCE, frame);
    this.#shift(taken);
    this.#noteTaken(taken);
    return true;
  }

  /** Fast path: the next item is usually exactly one frame and is decoded directly into the target. */
  #pullWhole(frame: Int16Array): boolean {
    const pulled = this.#pullNext();
    const length = this.#pulledSamples();
    if (length === frame.length) return this.#take(pulled, frame, 0, length);
    this.#makeReady();
    const heard = this.#take(pulled, this.#ready, 0, length);
    this.#readySamples = length;
    return this.#pullPieces(frame) || heard;
  }

  #pullPieces(frame: Int16Array): boolean {
    let heard = this.#readySamples > 0;
    while (this.#readySamples < this.#frameSamples) heard = this.#addPiece() || heard;
    for (let i = 0; i < this.#frameSamples; i++) frame[i] = this.#ready[i]!;
    this.#shift(this.#frameSamples);
    return heard;
  }

  /** Fills a frame with more or less audio than lasts a frame. What is concealed keeps its pace. */
  #pullAtPace(frame: Int16Array): boolean {
    this.#makeReady();
    const scaler = this.#scaler ?? new TimeScaler(this.#decoder.sampleRateHz);
    this.#scaler = scaler;
    const { pacing } = this.jitter;
    const isFaster = pacing.pace === 'faster';
    const wanted = (pacing.offMs * this.#decoder.sampleRateHz) / 1000;
    const needed = isFaster ? scaler.inputSamples(wanted) : this.#frameSamples;
    // To look ahead further than the buffer goes would be heard as a loss.
    if (isFaster && this.jitter.depthMs < (needed * 1000) / this.#decoder.sampleRateHz)
      return this.#pullPieces(frame);
    let heard = this.#readySamples > 0;
    while (this.#readySamples < needed) heard = this.#addPiece() || heard;
    if (this.#lastPulled !== 'packet') return this.#pullPieces(frame);
    const haste = pacing.isFarOff ? SOON : SOMETIME;
    const taken = isFaster
      ? scaler.shorten(this.#ready, wanted, haste, frame)
      : scaler.lengthen(this.#ready, wanted, haste, frame);
    this.#shift(taken);
    this.#noteTaken(taken);
    return heard;
  }

  #noteTaken(samples: number): void {
    if (samples === this.#frameSamples) return;
    const shortenedMs = ((samples - this.#frameSamples) * 1000) / this.#decoder.sampleRateHz;
    this.jitter.noteShortened(shortenedMs);
  }

  #makeReady(): void {
    if (this.#ready === NOTHING) this.#ready = new Int16Array(this.#maxReadySamples);
  }

  #shift(samples: number): void {
    this.#ready.copyWithin(0, samples, this.#readySamples);
    this.#keepReady(this.#readySamples - samples);
  }

  #keepReady(samples: number): void {
    this.#readySamples = samples;
    this.jitter.noteAhead((samples * 1000) / this.#decoder.sampleRateHz);
  }

  #addPiece(): boolean {
    const pulled = this.#pullNext();
    const at = this.#readySamples;
    const length = this.#pulledSamples();
    this.#readySamples += length;
    return this.#take(pulled, this.#ready, at, length);
  }

  #pullNext(): Pulled {
    const pulled = this.jitter.pull();
    const { droppedForDepth } = this.jitter.counters;
    if (droppedForDepth !== this.#droppedPackets) this.#decoder.skip();
    this.#droppedPackets = droppedForDepth;
    this.#lastPulled = pulled;
    return pulled;
  }

  /** Duration of the pulled item. A fraction of a sample, caused by inconsistent timestamps of the peer, is dropped. */
  #pulledSamples(): number {
    return Math.floor(this.jitter.durationSamples / this.#ticksPerSample);
  }

  /** Writes `length` samples of the pulled item into `out` at `at`. Returns false when there is no stream. */
  #take(pulled: Pulled, out: Int16Array, at: number, length: number): boolean {
    switch (pulled) {
      case 'packet':
        this.#decoder.decode(this.jitter, out, at, length);
        return true;
      case 'lost':
        this.#decoder.conceal(this.jitter, out, at, length);
        return true;
      case 'silence':
        this.#decoder.pause(out, at, length);
        return true;
      case 'idle':
        this.#decoder.rest(out, at, length);
        return false;
      default:
        return unreachable(pulled);
    }
  }
}
