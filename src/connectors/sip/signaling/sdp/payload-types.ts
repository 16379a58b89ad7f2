import type { RtpCodec } from '../../../../rtp/rtp-protocol.ts';
import { type PeerFormats, STATIC_TYPES } from './sdp-formats.ts';

const FIRST_DYNAMIC = 96;
const LAST_DYNAMIC = 127;

/**
 * Payload types in a leg's descriptions. A payload type must not change its format during a session (RFC 3264 section
 * 8.3.2), and both sides should use the same ones, so the peer's assignments are adopted.
 */
export class PayloadTypes {
  readonly #ours = new Map([
    ['opus/48000', 111],
    ['telephone-event/48000', 110],
    ['telephone-event/8000', 101],
  ]);
  /** Formats that the peer has used, by payload type. */
  readonly #used = new Map<number, string>();

  ofCodec(codec: RtpCodec): number {
    return codec === 'opus' ? this.#ours.get('opus/48000')! : STATIC_TYPES[codec];
  }

  ofEvents(clockRateHz: number): number {
    return this.#ours.get(`telephone-event/${clockRateHz}`)!;
  }

  /** Adopts the payload types of the peer's description. */
  follow({ names }: PeerFormats): void {
    // Reversed so that the first of two with the same name wins, as it does for codecs.
    for (const [payloadType, name] of [...names].reverse()) {
      this.#used.set(payloadType, name);
      if (this.#ours.has(name)) this.#ours.set(name, payloadType);
    }
    for (const [name, payloadType] of this.#ours) {
      if ((this.#used.get(payloadType) ?? name) !== name) this.#ours.set(name, this.#free() ?? payloadType);
    }
  }

  #free(): number | null {
    const taken = new Set([...this.#used.keys(), ...this.#ours.values()]);
    for (let type = FIRST_DYNAMIC; type <= LAST_DYNAMIC; type++) if (!taken.has(type)) return type;
    return null;
  }
}
