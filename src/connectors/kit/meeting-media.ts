import type { MediaControl } from '../../media/media-control.ts';
import type { PacketRings } from '../../media/packet-media.ts';
import type {
  Bridges,
  OpenedTransport,
  TransportObserver,
  TransportProtocol,
} from '../../media/transport.ts';
import { PACKET_MEDIA, type PacketConfig } from '../../rtp/rtp-protocol.ts';

type NoCommands = Record<never, never>;

export interface MeetingMediaDeps<Open, Signal> {
  readonly bridges: Bridges;
  readonly protocol: TransportProtocol<Open, NoCommands, Signal>;
  /** Hears of the current transport only. */
  readonly observer: TransportObserver<Signal>;
}

/**
 * The connection between a meeting's media, on a bridge thread, and the rings of the call's media leg. Leg and rings last as
 * long as the call, transports come and go.
 */
export class MeetingMedia<Open, Signal> {
  readonly #deps: MeetingMediaDeps<Open, Signal>;
  #transport: Promise<OpenedTransport<NoCommands> | null> = Promise.resolve(null);
  /** Number of the current transport. What earlier ones report is ignored. */
  #current = 0;

  constructor(deps: MeetingMediaDeps<Open, Signal>) {
    this.#deps = deps;
  }

  /** Replaces the transport by a new one. Rejects when no thread takes it, or when it cannot be opened. */
  async connect(open: Open): Promise<void> {
    const { bridges, protocol, observer } = this.#deps;
    const number = ++this.#current;
    const isCurrent = (): boolean => this.#current === number;
    const current: TransportObserver<Signal> = {
      signal: (signal) => (isCurrent() ? observer.signal(signal) : undefined),
      lost: (reason) => (isCurrent() ? observer.lost(reason) : undefined),
    };
    // Two transports must never write to the same rings.
    this.#transport = closed(this.#transport).then(() =>
      isCurrent() ? bridges.open(protocol, open, current) : null,
    );
    await this.#transport;
  }

  /** Ends the transport, also while it opens. Never rejects. */
  async disconnect(): Promise<void> {
    this.#current++;
    this.#transport = closed(this.#transport).then(() => null);
    await this.#transport;
  }
}

async function closed(transport: Promise<OpenedTransport<NoCommands> | null>): Promise<void> {
  const opened = await transport.catch(() => null);
  await opened?.close();
}

export interface PacketLeg {
  readonly rings: PacketRings;
  /** Of the call's room, in Hz. */
  readonly sampleRateHz: number;
  readonly config: PacketConfig;
  /** The leg has given an RTP stream this voice. */
  placed(ssrc: number, voiceId: number): void;
}

/** Opens a call's media leg for RTP packets, in which each stream is a voice of its own. */
export async function openPacketLeg(
  control: MediaControl,
  { rings, sampleRateHz, config, placed }: PacketLeg,
): Promise<void> {
  const leg = await control.open(PACKET_MEDIA, { rings, sampleRateHz, speakers: 'ssrc' }, (event) => {
    if (event.type === 'signal') placed(event.signal.ssrc, event.signal.voice);
  });
  await leg.configure(config);
}
