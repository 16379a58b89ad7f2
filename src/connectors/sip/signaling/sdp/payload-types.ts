import type { SipCodec } from '../../media-protocol.ts';
import type { PeerFormats } from './sdp-formats.ts';

const FIRST_DYNAMIC = 96;
const LAST_DYNAMIC = 127;

/**
 * The payload types in a leg's descriptions. One that has stood for a format must not stand for another as long as
 * the session lasts (RFC 3264 section 8.3.2), and both sides do well to use the same: so the peer's word counts.
 */
export class PayloadTypes {
  readonly #ours = new Map([
    ['opus/48000', 111],
    ['telephone-event/48000', 110],
    ['telephone-event/8000', 101],
  ]);
  /** What the peer has used, by payload type. */
  readonly #used = new Map<number, string>();

  ofCodec(codec: SipCodec): number {
    if (codec === 'opus') return this.#ours.get('opus/48000')!;
    return codec === 'PCMU' ? 0 : 8;
  }

  ofEvents(clockRateHz: number): number {
    return this.#ours.get(`telephone-event/${clockRateHz}`)!;
  }

  /** Takes over what the peer's description says. */
  follow({ names }: PeerFormats): void {
    // The first of two with the same name counts, as it does for codecs.
    for (const [payloadType, name] of [...names].reverse()) {
      this.#used.set(payloadType, name);
      if (this.#ours.has(name)) this.#ours.set(name, payloadType);
    }
    for (const [name, payloadType] of this.#ours) {
      const usedFor = this.#used.get(payloadType) ?? name;
      if (usedFor !== name) this.#ours.set(name, this.#free() ?? payloadType);
    }
  }

  #free(): number | null {
    const taken = new Set([...this.#used.keys(), ...this.#ours.values()]);
    for (let type = FIRST_DYNAMIC; type <= LAST_DYNAMIC; type++) if (!taken.has(type)) return type;
    return null;
  }
}
