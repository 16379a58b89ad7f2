import type { MediaProtocol } from '../../src/media/media-protocol.ts';
import type { PacketRings } from '../../src/media/packet-media.ts';
import type { PcmRings } from '../../src/media/pcm-media.ts';
import type { TransportProtocol } from '../../src/media/transport.ts';
import type { PacketConfig, PacketOpen, VoiceSignal } from '../../src/rtp/rtp-protocol.ts';

/** Legs and transports of the bench: the gateway's own, with a look at the clock around each frame. */

export const ROOM_HZ = 8_000;

export interface WatchedPackets extends PacketOpen {
  /** See Crossings. */
  readonly crossings: SharedArrayBuffer;
}

export interface WatchedPcm {
  readonly rings: PcmRings;
  readonly crossings: SharedArrayBuffer;
}

export const WATCHED_PACKETS: MediaProtocol<
  WatchedPackets,
  PacketConfig,
  Record<never, never>,
  VoiceSignal
> = { kind: 'watched-packets' };

export const WATCHED_PCM: MediaProtocol<WatchedPcm, null, Record<never, never>> = { kind: 'watched-pcm' };

export interface BenchCommands {
  /** Ends the thread. */
  exit(): void;
  /** Holds up the thread until it is stopped. */
  stall(): void;
  /** Writes packets as fast as the thread can, for so long. */
  flood(milliseconds: number): void;
}

type BenchTransport<Rings> = TransportProtocol<
  { readonly rings: Rings; readonly crossings: SharedArrayBuffer },
  BenchCommands,
  never
>;

export const PACKET_SOURCE: BenchTransport<PacketRings> = { kind: 'packet-source', recovery: 'rejoin' };

export const PCM_SOURCE: BenchTransport<PcmRings> = { kind: 'pcm-source', recovery: 'rejoin' };
