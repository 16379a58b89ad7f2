import { JitterBuffer, type JitterCounters, type Pulled } from '../../audio/jitter-buffer.ts';
import { Resampler } from '../../audio/resampler.ts';
import { unreachable } from '../../base/assert.ts';
import { frameSamples } from '../../base/frame.ts';
import type { VoiceDecoder } from '../codecs/voice-codec.ts';
import type { RtpPacket } from '../rtp-packet.ts';

const NOTHING = new Int16Array(0);

/** Turns packets of 2.5 to 120 ms into frames of 20 ms at the room's rate: jitter buffer, decoder, concealment. */
export class InboundAudio {
  readonly jitter: JitterBuffer;
  readonly #decoder: VoiceDecoder;
  readonly #ticksPerSample: number;
  readonly #frameSamples: number;
  readonly #maxReadySamples: number;
  /** Decoded samples not yet played: the rest of a packet longer than a frame. Allocated for the first such packet. */
  #ready: Int16Array = NOTHING;
  #readySamples = 0;
  #droppedPackets: number;
  /** Null when the codec's rate equals the room's. */
  readonly #toRoom: Resampler | null;
  readonly #decoded: Int16Array;

  /** Takes ownership of the decoder. */
  constructor(decoder: VoiceDecoder, roomRateHz: number, counters: JitterCounters) {
    const { clockRateHz, sampleRateHz, maxPacketSamples } = decoder;
    this.jitter = new JitterBuffer(decoder, counters);
    this.#decoder = decoder;
    this.#ticksPerSample = clockRateHz / sampleRateHz;
    this.#frameSamples = frameSamples(sampleRateHz);
    this.#maxReadySamples = maxPacketSamples + this.#frameSamples;
    this.#droppedPackets = counters.droppedForDepth;
    const isRoomRate = sampleRateHz === roomRateHz;
    this.#toRoom = isRoomRate ? null : new Resampler(sampleRateHz, roomRateHz, this.#frameSamples);
    this.#decoded = new Int16Array(isRoomRate ? 0 : this.#frameSamples);
  }

  /** Drops all audio of the previous stream and prepares for another one. */
  restart(): void {
    this.jitter.restart();
    this.#decoder.restart();
    this.#readySamples = 0;
  }

  /** Whether the payload is valid for the codec. */
  knows({ bytes, payloadOffset, payloadLength }: RtpPacket): boolean {
    if (payloadLength > this.#decoder.maxPayloadBytes) return false;
    return payloadLength === 0 || this.#decoder.packetTicks(bytes, payloadOffset, payloadLength) > 0;
  }

  insertAudio(packet: RtpPacket, arrivalMs: number): void {
    const { bytes, payloadOffset, payloadLength } = packet;
    this.jitter.insert(packet, this.#decoder.packetTicks(bytes, payloadOffset, payloadLength), arrivalMs);
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
    return this.#readySamples === 0 ? this.#pullWhole(frame) : this.#pullPieces(frame);
  }

  /** Fast path: the next item is usually exactly one frame and is decoded directly into the target. */
  #pullWhole(frame: Int16Array): boolean {
    const pulled = this.#pullNext();
    const length = this.#pulledSamples();
    if (length === frame.length) return this.#take(pulled, frame, 0, length);
    if (this.#ready === NOTHING) this.#ready = new Int16Array(this.#maxReadySamples);
    const heard = this.#take(pulled, this.#ready, 0, length);
    this.#readySamples = length;
    return this.#pullPieces(frame) || heard;
  }

  #pullPieces(frame: Int16Array): boolean {
    let heard = this.#readySamples > 0;
    while (this.#readySamples < this.#frameSamples) heard = this.#addPiece() || heard;
    for (let i = 0; i < this.#frameSamples; i++) frame[i] = this.#ready[i]!;
    this.#ready.copyWithin(0, this.#frameSamples, this.#readySamples);
    this.#readySamples -= this.#frameSamples;
    return heard;
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
