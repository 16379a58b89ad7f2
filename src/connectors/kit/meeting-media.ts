import { GatewayError } from '../../base/errors.ts';
import type { MediaControl, OpenMedia } from '../../media/media-control.ts';
import type { CommandArgs, CommandResult } from '../../media/media-protocol.ts';
import type { PacketRings } from '../../media/packet-media.ts';
import type {
  Bridges,
  OpenedTransport,
  TransportObserver,
  TransportProtocol,
} from '../../media/transport.ts';
import { PACKET_MEDIA, type PacketConfig } from '../../rtp/rtp-protocol.ts';

export interface MeetingMediaDeps<Open, Commands, Signal> {
  readonly bridges: Bridges;
  readonly protocol: TransportProtocol<Open, Commands, Signal>;
  /** Hears of the current transport only. */
  readonly observer: TransportObserver<Signal>;
}

/**
 * The connection between a meeting's media, on a bridge thread, and the rings of the call's media leg. Leg and rings last as
 * long as the call, transports come and go.
 */
export class MeetingMedia<Open, Commands, Signal> {
  readonly #deps: MeetingMediaDeps<Open, Commands, Signal>;
  #transport: Promise<OpenedTransport<Commands> | null> = Promise.resolve(null);
  /** Number of the current transport. What earlier ones report is ignored. */
  #current = 0;

  constructor(deps: MeetingMediaDeps<Open, Commands, Signal>) {
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

  /**
   * Runs a command of the current transport, once it is open. Rejects with the transport's own error, and with `call_not_active`
   * when there is none any more.
   */
  async command<Name extends keyof Commands & string>(
    name: Name,
    ...args: CommandArgs<Commands[Name]>
  ): Promise<CommandResult<Commands[Name]>> {
    const transport = await this.#transport;
    if (transport === null) throw new GatewayError('call_not_active');
    return await transport.command(name, ...args);
  }

  /** Ends the transport, also while it opens. Never rejects. */
  async disconnect(): Promise<void> {
    this.#current++;
    this.#transport = closed(this.#transport).then(() => null);
    await this.#transport;
  }
}

async function closed<Commands>(transport: Promise<OpenedTransport<Commands> | null>): Promise<void> {
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

/** Opens a call's media leg for RTP packets, in which each stream is a voice of its own, and returns it configured. */
export async function openPacketLeg(
  control: MediaControl,
  { rings, sampleRateHz, config, placed }: PacketLeg,
): Promise<OpenMedia<PacketConfig, Record<never, never>>> {
  const leg = await control.open(PACKET_MEDIA, { rings, sampleRateHz, speakers: 'ssrc' }, (event) => {
    if (event.type === 'signal') placed(event.signal.ssrc, event.signal.voice);
  });
  await leg.configure(config);
  return leg;
}
