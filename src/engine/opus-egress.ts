import { Resampler } from '../audio/resampler.ts';
import { frameSamples } from '../base/frame.ts';
import { FrameRingProducer } from '../rings/frame-ring.ts';
import { type DownlinkRing, PacketFrame } from '../rings/packet-frame.ts';
import type { PassedPackets } from '../rtp/codecs/passed-packets.ts';
import type { VoiceEncoder } from '../rtp/codecs/voice-codec.ts';
import type { VoiceCodecs } from '../rtp/codecs/voice-codecs.ts';

/** The place of the platform among the parties of a room. */
const PLATFORM = 0;
/** Rates of rooms that Opus has too. Others are encoded at the highest. */
const OPUS_RATES_HZ = [8_000, 16_000, 48_000];
const TOP_RATE_HZ = 48_000;
/** The longest packet is decoded once in so many ticks. */
const LONGEST_PACKET_TICKS = 6;

/** Scratch memory, used by all listeners in turn. */
const frameOfRing = new PacketFrame();

/**
 * What an agent hears, as packets of Opus on their way to the downlink ring. While the platform alone is heard, and its leg
 * speaks Opus, they are its own, as they came; otherwise the mix is encoded, one packet per tick. When the ring is full, the
 * newest packet is dropped and counted.
 */
export class OpusEgress {
  overruns = 0;
  readonly #ring: FrameRingProducer;
  readonly #encoder: VoiceEncoder;
  readonly #resampler: Resampler | null;
  readonly #passed: PassedPackets;
  /** Ticks since a packet was passed on. */
  #ticksSincePassed = LONGEST_PACKET_TICKS;

  constructor({ memory, sampleRateHz }: DownlinkRing, roomRateHz: number, codecs: VoiceCodecs) {
    const isOpusRate = OPUS_RATES_HZ.includes(roomRateHz);
    const rateHz = isOpusRate ? roomRateHz : TOP_RATE_HZ;
    this.#ring = new FrameRingProducer(memory, sampleRateHz);
    this.#encoder = codecs.encoder('opus', rateHz);
    this.#resampler = isOpusRate ? null : new Resampler(roomRateHz, rateHz, frameSamples(roomRateHz));
    this.#passed = codecs.passed;
  }

  push(frame: Int16Array, voiced: boolean, speaker: number): void {
    if (speaker === PLATFORM && this.#pass()) return;
    this.#ticksSincePassed = LONGEST_PACKET_TICKS;
    this.#encode(frame, voiced);
  }

  /** Releases the encoder. */
  close(): void {
    this.#encoder.close();
  }

  /** Passes the platform's packets on. Returns false when its audio does not come from a stream of Opus. */
  #pass(): boolean {
    const passed = this.#passed;
    if (passed.isMixed) return false;
    this.#ticksSincePassed = passed.count > 0 ? 0 : this.#ticksSincePassed + 1;
    for (let i = 0; i < passed.count; i++) this.#write(passed.copy(i, frameOfRing.packet));
    return this.#ticksSincePassed < LONGEST_PACKET_TICKS;
  }

  #encode(frame: Int16Array, voiced: boolean): void {
    const samples = this.#resampler === null ? frame : this.#resampler.process(frame, frame.length);
    this.#write(this.#encoder.encode(samples, voiced, frameOfRing.packet, 0));
  }

  #write(packetBytes: number): void {
    frameOfRing.length = packetBytes;
    if (!this.#ring.write(frameOfRing.samples)) this.overruns++;
  }
}
