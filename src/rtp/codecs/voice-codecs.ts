import { MOST_MAX_TARGET_MS } from '../../audio/jitter-target.ts';
import type { LibOpus } from '../../audio/libopus.ts';
import { assert } from '../../base/assert.ts';
import type { RtpCodec } from '../rtp-protocol.ts';
import { G711_FORMAT, G711Decoder, G711Encoder } from './g711-codec.ts';
import { G722_FORMAT, G722VoiceDecoder, G722VoiceEncoder } from './g722-codec.ts';
import { OpusVoiceDecoder, OpusVoiceEncoder, opusFormat } from './opus-codec.ts';
import { PassedPackets } from './passed-packets.ts';
import type { DecoderFormat, VoiceDecoder, VoiceEncoder } from './voice-codec.ts';

/** Creates the decoders and encoders of a thread. Opus runs at the room's rate, the others at their own. */
export class VoiceCodecs {
  readonly maxJitterDelayMs: number;
  /** Of Opus, in the present tick. */
  readonly passed = new PassedPackets();
  readonly #loadOpus: () => LibOpus;
  #opus: LibOpus | null = null;

  /**
   * Creates the factory. `loadOpus` is called when a leg first needs Opus. `maxJitterDelayMs` is the most that the jitter
   * buffer in front of a decoder aims at.
   */
  constructor(loadOpus: () => LibOpus, maxJitterDelayMs = MOST_MAX_TARGET_MS) {
    this.#loadOpus = loadOpus;
    this.maxJitterDelayMs = maxJitterDelayMs;
  }

  /** Loads Opus before a room that may need it opens, because loading can take longer than a tick. */
  prepareFor(roomRateHz: number): void {
    if (roomRateHz !== 8_000) this.#library();
  }

  decoder(codec: RtpCodec, roomRateHz: number): VoiceDecoder {
    if (codec === 'opus') return new OpusVoiceDecoder(this.#library(), opusRate(roomRateHz), this.passed);
    return codec === 'G722' ? new G722VoiceDecoder() : new G711Decoder(codec);
  }

  /** What the decoder of a codec takes and yields. */
  format(codec: RtpCodec, roomRateHz: number): DecoderFormat {
    if (codec === 'opus') return opusFormat(opusRate(roomRateHz));
    return codec === 'G722' ? G722_FORMAT : G711_FORMAT;
  }

  encoder(codec: RtpCodec, roomRateHz: number): VoiceEncoder {
    if (codec === 'opus') return new OpusVoiceEncoder(this.#library(), opusRate(roomRateHz));
    return codec === 'G722' ? new G722VoiceEncoder() : new G711Encoder(codec);
  }

  #library(): LibOpus {
    this.#opus ??= this.#loadOpus();
    return this.#opus;
  }
}

function opusRate(roomRateHz: number): 8_000 | 16_000 | 48_000 {
  assert(
    roomRateHz === 8_000 || roomRateHz === 16_000 || roomRateHz === 48_000,
    'the sample rate of an RTP leg must be 8,000, 16,000 or 48,000 Hz',
  );
  return roomRateHz;
}
