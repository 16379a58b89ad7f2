import type { Payload } from '../../audio/payload.ts';
import { Resampler } from '../../audio/resampler.ts';
import { assert } from '../../base/assert.ts';
import type { NumberedCodec, RtpCodec } from '../rtp-protocol.ts';
import { G711Decoder } from './g711-codec.ts';
import type { DecoderFormat, VoiceDecoder } from './voice-codec.ts';
import type { VoiceCodecs } from './voice-codecs.ts';

/** Longest packet at a rate that has to be changed: 60 ms of G.722. Only one decoder at a time runs on a thread. */
const workSpace = new Int16Array(960);

const NO_PAYLOAD: Payload = { bytes: new Uint8Array(0), payloadOffset: 0, payloadLength: 0 };

/** A codec of the stream. */
interface Voice {
  readonly decoder: VoiceDecoder;
  /** Ticks of the stream's clock in one of the codec's. */
  readonly scale: number;
  /** Null at the stream's sample rate. */
  readonly resampler: Resampler | null;
}

/**
 * Decodes one stream whose sender may change between several codecs at any packet. Ticks are those of the fastest of their
 * clocks. Samples are at their common rate, or at the room's when theirs differ. A codec gets its decoder with its first
 * packet.
 */
export class NegotiatedDecoder implements VoiceDecoder {
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  readonly maxPayloadBytes: number;
  readonly maxPacketSamples: number;
  readonly #codecs: VoiceCodecs;
  readonly #roomRateHz: number;
  readonly #voices = new Map<RtpCodec, Voice>();
  /** By payload type. */
  readonly #codecOf: (RtpCodec | null)[] = Array.from({ length: 128 }, () => null);
  #codec: RtpCodec;
  #current: Voice;

  /** `list` has at least one codec; the stream is expected to begin with the first. */
  constructor(codecs: VoiceCodecs, roomRateHz: number, list: readonly NumberedCodec[]) {
    const formats = list.map(({ codec }) => codecs.format(codec, roomRateHz));
    const rates = new Set(formats.map(({ sampleRateHz }) => sampleRateHz));
    this.#codecs = codecs;
    this.#roomRateHz = roomRateHz;
    this.clockRateHz = Math.max(...formats.map(({ clockRateHz }) => clockRateHz));
    this.sampleRateHz = rates.size === 1 ? formats[0]!.sampleRateHz : roomRateHz;
    this.maxPayloadBytes = Math.max(...formats.map(({ maxPayloadBytes }) => maxPayloadBytes));
    this.maxPacketSamples = Math.max(...formats.map((format) => this.#longest(format)));
    for (const { codec, payloadType } of list) this.#codecOf[payloadType] = codec;
    this.#codec = list[0]!.codec;
    this.#current = this.#voiceOf(this.#codec);
  }

  #longest({ maxPacketSamples, sampleRateHz }: DecoderFormat): number {
    return Math.ceil((maxPacketSamples * this.sampleRateHz) / sampleRateHz);
  }

  packetTicks(bytes: Uint8Array, offset: number, length: number, payloadType: number): number {
    const codec = this.#codecOf[payloadType];
    if (codec == null) return 0;
    const { decoder, scale } = codec === this.#codec ? this.#current : this.#voiceOf(codec);
    return length > decoder.maxPayloadBytes
      ? 0
      : decoder.packetTicks(bytes, offset, length, payloadType) * scale;
  }

  /** A packet of another codec than the one before it is never left out. */
  isQuiet(bytes: Uint8Array, offset: number, length: number, payloadType: number): boolean {
    if (this.#codecOf[payloadType] !== this.#codec) return false;
    return this.#current.decoder.isQuiet(bytes, offset, length, payloadType);
  }

  decode(payload: Payload, out: Int16Array, at: number, samples: number): void {
    const codec = this.#codecOf[payload.payloadType ?? 0] ?? this.#codec;
    if (codec !== this.#codec) this.#change(codec);
    const { decoder, resampler } = this.#current;
    if (resampler === null) return decoder.decode(payload, out, at, samples);
    decoder.decode(payload, workSpace, 0, this.#ownSamples(samples));
    this.#resample(out, at, samples);
  }

  conceal(next: Payload, out: Int16Array, at: number, samples: number): void {
    const { decoder, resampler } = this.#current;
    const usable = this.#codecOf[next.payloadType ?? 0] === this.#codec ? next : NO_PAYLOAD;
    if (resampler === null) return decoder.conceal(usable, out, at, samples);
    decoder.conceal(usable, workSpace, 0, this.#ownSamples(samples));
    this.#resample(out, at, samples);
  }

  pause(out: Int16Array, at: number, samples: number): void {
    const { decoder, resampler } = this.#current;
    if (resampler === null) return decoder.pause(out, at, samples);
    decoder.pause(workSpace, 0, this.#ownSamples(samples));
    this.#resample(out, at, samples);
  }

  rest(out: Int16Array, at: number, samples: number): void {
    const { decoder, resampler } = this.#current;
    if (resampler === null) return decoder.rest(out, at, samples);
    decoder.rest(workSpace, 0, this.#ownSamples(samples));
    this.#resample(out, at, samples);
  }

  skip(): void {
    this.#current.decoder.skip();
  }

  restart(): void {
    this.#current.decoder.restart();
  }

  close(): void {
    for (const { decoder } of this.#voices.values()) decoder.close();
  }

  #change(codec: RtpCodec): void {
    this.#codec = codec;
    this.#current = this.#voiceOf(codec);
    // What its decoder remembers is from before the other codec.
    this.#current.decoder.restart();
  }

  #voiceOf(codec: RtpCodec): Voice {
    const known = this.#voices.get(codec);
    if (known !== undefined) return known;
    const decoder = this.#newDecoder(codec);
    const { clockRateHz, sampleRateHz, maxPacketSamples } = decoder;
    const isSame = sampleRateHz === this.sampleRateHz;
    assert(isSame || maxPacketSamples <= workSpace.length, 'a packet is too long to be resampled');
    const voice = {
      decoder,
      scale: this.clockRateHz / clockRateHz,
      resampler: isSame ? null : new Resampler(sampleRateHz, this.sampleRateHz, maxPacketSamples),
    };
    this.#voices.set(codec, voice);
    return voice;
  }

  #newDecoder(codec: RtpCodec): VoiceDecoder {
    const other = this.#voices.get(codec === 'PCMU' ? 'PCMA' : 'PCMU')?.decoder;
    const isLaw = codec === 'PCMU' || codec === 'PCMA';
    return isLaw && other instanceof G711Decoder
      ? other.sibling(codec)
      : this.#codecs.decoder(codec, this.#roomRateHz);
  }

  /** Samples of the current codec in so many of the stream. */
  #ownSamples(samples: number): number {
    return Math.floor((samples * this.#current.decoder.sampleRateHz) / this.sampleRateHz);
  }

  /** Brings what is in the work space to the stream's rate. */
  #resample(out: Int16Array, at: number, samples: number): void {
    const resampled = this.#current.resampler!.process(workSpace, this.#ownSamples(samples));
    const length = Math.min(resampled.length, samples);
    for (let i = 0; i < length; i++) out[at + i] = resampled[i]!;
    out.fill(length === 0 ? 0 : out[at + length - 1]!, at + length, at + samples);
  }
}
