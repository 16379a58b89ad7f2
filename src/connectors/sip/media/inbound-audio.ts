import { JitterBuffer, type Pulled } from '../../../audio/jitter-buffer.ts';
import { PacketLossConcealer } from '../../../audio/plc.ts';
import type { SipCodec } from '../media-protocol.ts';
import { CLOCK_RATE_HZ, FRAME_SAMPLES, type G711Codec, g711Codec, MAX_PAYLOAD_BYTES } from './g711-codec.ts';
import type { RtpPacket } from './rtp-packet.ts';

/** Nobody misses a packet whose loudest sample is 40 dB below full scale. */
const QUIET_PEAK = 328;

/** Work space of whichever call decodes: nothing stays in it. */
const workSpace = new Int16Array(MAX_PAYLOAD_BYTES);

/** From packets of 10 to 60 ms to frames of 20 ms: jitter buffer, decoder, concealment. */
export class InboundAudio {
  readonly jitter = new JitterBuffer({
    clockRateHz: CLOCK_RATE_HZ,
    maxPayloadBytes: MAX_PAYLOAD_BYTES,
    isQuiet: (bytes, offset, length) => this.#isQuiet(bytes, offset, length),
  });
  readonly #plc = new PacketLossConcealer(CLOCK_RATE_HZ);
  /** Decoded and not yet played: the rest of a packet longer than a frame. */
  readonly #ready = new Int16Array(MAX_PAYLOAD_BYTES + FRAME_SAMPLES);
  #readySamples = 0;
  #droppedPackets = 0;
  #codecName: SipCodec = 'PCMU';
  #codec: G711Codec = g711Codec('PCMU');

  setCodec(name: SipCodec): void {
    if (name === this.#codecName) return;
    this.#codecName = name;
    this.#codec = g711Codec(name);
    this.restart();
  }

  /** Another stream follows: what is held of the former one is dropped. */
  restart(): void {
    this.jitter.restart();
    this.#readySamples = 0;
  }

  insertAudio(packet: RtpPacket, arrivalMs: number): void {
    this.jitter.insert(packet, packet.payloadLength, arrivalMs);
  }

  /** Notes a packet that carries no audio, so that its number does not look lost. */
  insertMarker(packet: RtpPacket, arrivalMs: number): void {
    this.jitter.insert(packet, 0, arrivalMs);
  }

  /** Fills one frame. False: there is no stream; the frame is zeroed. */
  pull(frame: Int16Array): boolean {
    return this.#readySamples === 0 ? this.#pullWhole(frame) : this.#pullPieces(frame);
  }

  /** Usually what comes next is one frame: it is decoded where it is wanted. */
  #pullWhole(frame: Int16Array): boolean {
    const pulled = this.jitter.pull();
    this.#noteSkip();
    const length = this.jitter.durationSamples;
    if (length === frame.length) return this.#take(pulled, frame, 0, length);
    const heard = this.#take(pulled, this.#ready, 0, length);
    this.#readySamples = length;
    return this.#pullPieces(frame) || heard;
  }

  #pullPieces(frame: Int16Array): boolean {
    let heard = this.#readySamples > 0;
    while (this.#readySamples < FRAME_SAMPLES) heard = this.#pullNext() || heard;
    for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = this.#ready[i]!;
    this.#ready.copyWithin(0, FRAME_SAMPLES, this.#readySamples);
    this.#readySamples -= FRAME_SAMPLES;
    return heard;
  }

  #pullNext(): boolean {
    const pulled = this.jitter.pull();
    this.#noteSkip();
    const at = this.#readySamples;
    const length = this.jitter.durationSamples;
    this.#readySamples += length;
    return this.#take(pulled, this.#ready, at, length);
  }

  /** Writes `length` samples of what was pulled into `out` at `at`. False: there is no stream. */
  #take(pulled: Pulled, out: Int16Array, at: number, length: number): boolean {
    switch (pulled) {
      case 'packet':
        this.#decode(out, at, length);
        this.#plc.heard(out, at, length);
        return true;
      case 'lost':
        this.#plc.conceal(out, at, length);
        return true;
      case 'silence':
      case 'idle':
        out.fill(0, at, at + length);
        this.#plc.heard(out, at, length);
        return pulled === 'silence';
    }
  }

  #decode(out: Int16Array, at: number, length: number): void {
    const { payload, payloadOffset } = this.jitter;
    const decoded = at === 0 ? out : workSpace;
    this.#codec.decode(payload, payloadOffset, length, decoded);
    if (at > 0) for (let i = 0; i < length; i++) out[at + i] = decoded[i]!;
  }

  #noteSkip(): void {
    const { droppedForDepth } = this.jitter.counters;
    if (droppedForDepth !== this.#droppedPackets) this.#plc.skip();
    this.#droppedPackets = droppedForDepth;
  }

  #isQuiet(bytes: Uint8Array, offset: number, length: number): boolean {
    this.#codec.decode(bytes, offset, length, workSpace);
    for (let i = 0; i < length; i++) if (Math.abs(workSpace[i]!) > QUIET_PEAK) return false;
    return true;
  }
}
