import { NegotiatedDecoder } from '../codecs/negotiated-decoder.ts';
import type { VoiceCodecs } from '../codecs/voice-codecs.ts';
import type { RtpCounters } from '../rtp-counters.ts';
import type { RtpPacket } from '../rtp-packet.ts';
import type { NumberedCodec, RtpCodec } from '../rtp-protocol.ts';
import { G722Clock } from './g722-clock.ts';
import { InboundAudio } from './inbound-audio.ts';
import { StreamClock } from './stream-clock.ts';

/** The stream that is played: its packets in any of the agreed codecs become frames of the room. */
export class VoiceStream {
  readonly audio: InboundAudio;
  readonly clockRateHz: number;
  readonly #codecs = new Map<number, RtpCodec>();
  readonly #scales = new Map<number, number>();
  /** Null when none of the codecs is G.722. */
  readonly #g722Clock: G722Clock | null;
  /** Null when all codecs have one clock. */
  readonly #clock: StreamClock | null;
  #payloadType: number;

  /** `list` has at least one codec; the stream is expected to begin with the first. */
  constructor(
    codecs: VoiceCodecs,
    roomRateHz: number,
    list: readonly NumberedCodec[],
    counters: RtpCounters,
  ) {
    const decoder =
      list.length === 1
        ? codecs.decoder(list[0]!.codec, roomRateHz)
        : new NegotiatedDecoder(codecs, roomRateHz, list);
    this.audio = new InboundAudio(decoder, roomRateHz, counters, codecs.maxJitterDelayMs);
    this.clockRateHz = decoder.clockRateHz;
    for (const { codec, payloadType } of list) {
      this.#codecs.set(payloadType, codec);
      this.#scales.set(payloadType, decoder.clockRateHz / codecs.format(codec, roomRateHz).clockRateHz);
    }
    this.#g722Clock = list.some(({ codec }) => codec === 'G722') ? new G722Clock() : null;
    this.#clock = new Set(this.#scales.values()).size > 1 ? new StreamClock() : null;
    this.#payloadType = list[0]!.payloadType;
  }

  /** Drops all audio of the previous stream and prepares for another one. */
  restart(): void {
    this.audio.restart();
    this.#g722Clock?.restart();
    this.#clock?.restart();
  }

  /** Brings the packet's timestamp to the stream's clock. `isAudio`: it has a payload of one of the codecs. */
  correct(packet: RtpPacket, isAudio: boolean): void {
    if (this.#g722Clock === null && this.#clock === null) return;
    const { payloadType } = packet;
    if (isAudio && payloadType !== this.#payloadType) {
      this.#payloadType = payloadType;
      this.#g722Clock?.restart();
    }
    if (this.#codecs.get(this.#payloadType) === 'G722') this.#g722Clock?.correct(packet, isAudio);
    if (this.#clock === null) return;
    if (isAudio) this.#clock.correct(packet, this.#scales.get(payloadType)!, this.audio.ticksOf(packet));
    else this.#clock.place(packet);
  }

  close(): void {
    this.audio.close();
  }
}
