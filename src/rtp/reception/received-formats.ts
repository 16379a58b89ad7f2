import type { EventClock } from '../dtmf/dtmf-receiver.ts';
import type { NumberedCodec, RtpConfig } from '../rtp-protocol.ts';

/** Comfort noise (RFC 3389): the sender is silent. */
const COMFORT_NOISE_PAYLOAD_TYPE = 13;
const PAYLOAD_TYPES = 128;
/** Of events of a type that was not negotiated. */
const USUAL_CLOCK_HZ = 8_000;

export type PacketKind = 'audio' | 'events' | 'noise' | 'unknown';

/** What the payload types of a peer mean, by its description and ours. */
export class ReceivedFormats {
  /** The codec in use comes first. */
  readonly codecs: readonly NumberedCodec[];
  readonly #kinds: PacketKind[] = Array.from({ length: PAYLOAD_TYPES }, () => 'unknown');

  readonly #clocks = new Map<number, EventClock>();
  readonly #usualClock: EventClock;

  /** `clockRateHz` is that of the audio's timestamps, to which events may keep. */
  constructor(
    { codec, payloadType, received, dtmfPayloadType, dtmfClockRateHz }: RtpConfig,
    clockRateHz: number,
  ) {
    const others = received.codecs.filter((each) => each.payloadType !== payloadType);
    const sent =
      dtmfPayloadType === null ? [] : [{ payloadType: dtmfPayloadType, clockRateHz: dtmfClockRateHz }];
    this.codecs = [{ codec, payloadType }, ...others];
    this.#usualClock = eventClock(USUAL_CLOCK_HZ, clockRateHz);
    this.#kinds[COMFORT_NOISE_PAYLOAD_TYPE] = 'noise';
    for (const events of [...received.events, ...sent]) {
      this.#kinds[events.payloadType] = 'events';
      this.#clocks.set(events.payloadType, eventClock(events.clockRateHz, clockRateHz));
    }
    for (const each of this.codecs) this.#kinds[each.payloadType] = 'audio';
  }

  kindOf(payloadType: number): PacketKind {
    return this.#kinds[payloadType]!;
  }

  /** The clocks of a type's events. */
  clockOf(payloadType: number): EventClock {
    return this.#clocks.get(payloadType) ?? this.#usualClock;
  }

  /** Whether a decoder of the others knows all codecs of these. */
  isWithin(others: ReceivedFormats | null): boolean {
    return this.codecs.every(({ codec, payloadType }) =>
      others?.codecs.some((each) => each.codec === codec && each.payloadType === payloadType),
    );
  }
}

function eventClock(clockRateHz: number, audioClockRateHz: number): EventClock {
  const fastestHz = Math.max(clockRateHz, audioClockRateHz);
  return { ticksPerMs: fastestHz / 1000, perDuration: fastestHz / clockRateHz };
}
