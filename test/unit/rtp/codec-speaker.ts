import { frameSamples } from '../../../src/base/frame.ts';
import type { VoiceEncoder } from '../../../src/rtp/codecs/voice-codec.ts';
import { writeRtpHeader } from '../../../src/rtp/rtp-packet.ts';
import type { RtpCodec } from '../../../src/rtp/rtp-protocol.ts';
import { resampled } from '../../support/speech-signal.ts';
import { Tone } from '../../support/tone.ts';
import { codecs } from './rtp-peer.ts';

const RATES_HZ = [8_000, 16_000, 48_000];
const HEADER_BYTES = 12;
const MAX_PACKET_BYTES = 412;

export const CODEC_TYPES: Readonly<Record<RtpCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 };

/** What a phone says, at any rate: the next 20 ms with each call. */
export type AudioSource = (rateHz: number) => Int16Array;

export function toneSource(): AudioSource {
  const tones = RATES_HZ.map((hz) => ({ hz, tone: new Tone(440, hz, 0.5) }));
  return (rateHz) => {
    let said = new Int16Array(0);
    for (const { hz, tone } of tones) {
      const samples = new Int16Array(frameSamples(hz));
      tone.fill(samples);
      if (hz === rateHz) said = samples;
    }
    return said;
  };
}

export function speechSource(said: Int16Array, saidHz: number): AudioSource {
  const signals = new Map(RATES_HZ.map((hz) => [hz, resampled(said, saidHz, hz)]));
  let frame = 0;
  return (rateHz) => {
    const length = frameSamples(rateHz);
    const at = frame * length;
    frame += 1;
    return signals.get(rateHz)!.slice(at, at + length);
  };
}

/** A phone that may send each frame in another codec; one timeline, as RFC 7160 has it. */
export class CodecSpeaker {
  #sequence = 65_500;
  #timestamp = 2 ** 32 - 9_000;
  readonly #source: AudioSource;
  readonly #encoders = new Map<RtpCodec, VoiceEncoder>();

  constructor(source: AudioSource) {
    this.#source = source;
  }

  /** The next frame as a packet of its own stream. */
  frame(codec: RtpCodec): Buffer {
    const { payload, ticks } = this.payload(codec);
    const header = Buffer.alloc(HEADER_BYTES);
    writeRtpHeader(header, {
      payloadType: CODEC_TYPES[codec],
      marker: false,
      sequenceNumber: this.#sequence,
      timestamp: this.#timestamp,
      ssrc: 1,
    });
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + ticks) >>> 0;
    return Buffer.concat([header, payload]);
  }

  /** The next frame without a header, and how long it is by its codec's clock. */
  payload(codec: RtpCodec): { payload: Buffer; ticks: number } {
    const encoder = this.#encoders.get(codec) ?? codecs.encoder(codec, 48_000);
    this.#encoders.set(codec, encoder);
    const bytes = Buffer.alloc(MAX_PACKET_BYTES);
    const length = encoder.encode(this.#source(encoder.sampleRateHz), true, bytes, 0);
    return { payload: bytes.subarray(0, length), ticks: encoder.clockRateHz / 50 };
  }
}
