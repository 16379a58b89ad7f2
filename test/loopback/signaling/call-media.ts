import type { MediaControl } from '../../../src/media/media-control.ts';
import { MAX_VOICES } from '../../../src/media/media-leg.ts';
import { PCM_MEDIA } from '../../../src/media/pcm-media.ts';
import type { Bridges, OpenedTransport } from '../../../src/media/transport.ts';
import { PACKET_MEDIA, type PacketConfig } from '../../../src/rtp/rtp-protocol.ts';
import { LOOPBACK_TRANSPORT, type LoopbackOpen } from '../media/loopback-protocol.ts';

export const SAMPLE_RATE_HZ = 48_000;

/** Opus as the vendor sends and takes it. */
const OPUS: PacketConfig = {
  codec: 'opus',
  payloadType: 111,
  opus: { maxBitrateBps: null, inbandFec: true },
  sending: true,
  receiving: true,
};

export interface CallMediaObserver {
  /** A control message of the vendor's media socket, as JSON. */
  message(text: string): void;
  /** The media leg has given a stream this voice. Packets only: with PCM, the vendor numbers the voices. */
  voice(ssrc: number, voiceId: number): void;
  /** The transport is gone. */
  lost(reason: string): void;
}

/**
 * The media of one call: a leg on an engine thread and a transport on a bridge thread, with rings between them. The leg
 * and the rings last as long as the call; each session of the meeting has its own transport.
 */
export class CallMedia {
  readonly #bridges: Bridges;
  readonly #control: MediaControl;
  readonly #observer: CallMediaObserver;
  readonly #media: LoopbackOpen['media'];
  #transport: Promise<OpenedTransport<Record<never, never>>> | null = null;

  constructor(
    kind: 'pcm' | 'packets',
    { bridges, control }: { readonly bridges: Bridges; readonly control: MediaControl },
    observer: CallMediaObserver,
  ) {
    this.#bridges = bridges;
    this.#control = control;
    this.#observer = observer;
    this.#media =
      kind === 'pcm'
        ? { kind, rings: bridges.pcmRings(MAX_VOICES, SAMPLE_RATE_HZ) }
        : { kind, rings: bridges.packetRings() };
  }

  /** Opens the leg. Call it once, before `connect`. */
  async openLeg(): Promise<void> {
    const media = this.#media;
    if (media.kind === 'pcm') {
      await this.#control.open(PCM_MEDIA, media.rings, () => {});
      return;
    }
    const open = { rings: media.rings, sampleRateHz: SAMPLE_RATE_HZ, speakers: 'ssrc' } as const;
    const leg = await this.#control.open(PACKET_MEDIA, open, (event) => {
      if (event.type === 'signal') this.#observer.voice(event.signal.ssrc, event.signal.voice);
    });
    await leg.configure(OPUS);
  }

  /** Connects the rings to the vendor's media. Rejects when a thread or the vendor cannot be reached. */
  async connect(url: string): Promise<void> {
    await this.close();
    this.#transport = this.#bridges.open(
      LOOPBACK_TRANSPORT,
      { url, media: this.#media },
      { signal: (text) => this.#observer.message(text), lost: (reason) => this.#observer.lost(reason) },
    );
    await this.#transport;
  }

  /** Disconnects from the vendor, also while connecting. Never rejects. */
  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => null);
    await transport?.close();
  }
}
