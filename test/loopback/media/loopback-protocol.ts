import type { PacketRings } from '../../../src/media/packet-media.ts';
import type { PcmRings } from '../../../src/media/pcm-media.ts';
import type { TransportProtocol } from '../../../src/media/transport.ts';

/** What the connector, on the main thread, and its transport, on a bridge thread, exchange. */

/** Where the vendor's media is, and the rings it goes through. */
export interface LoopbackOpen {
  readonly url: string;
  readonly media:
    | { readonly kind: 'pcm'; readonly rings: PcmRings }
    | { readonly kind: 'packets'; readonly rings: PacketRings };
}

/** A control message of the vendor, as JSON. Bridge threads do not load zod, so the main thread reads it. */
export type LoopbackSignal = string;

export const LOOPBACK_TRANSPORT: TransportProtocol<LoopbackOpen, Record<never, never>, LoopbackSignal> = {
  kind: 'loopback',
  // The vendor takes each media address once, so only a new session leads back into the meeting.
  recovery: 'rejoin',
};
