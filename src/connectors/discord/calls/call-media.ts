import type { MediaControl } from '../../../media/media-control.ts';
import type { PacketRings } from '../../../media/packet-media.ts';
import type { Bridges, OpenedTransport } from '../../../media/transport.ts';
import { PACKET_MEDIA, type PacketConfig } from '../../../rtp/rtp-protocol.ts';
import {
  OPUS_PAYLOAD_TYPE,
  VOICE_TRANSPORT,
  type VoiceAccess,
  type VoiceSignal,
} from '../voice/voice-protocol.ts';

export const SAMPLE_RATE_HZ = 48_000;

/** Beyond this an agent's voice sounds no better. */
const MAX_BITRATE_BPS = 64_000;
/** Discord's default for a channel. */
const BITRATE_BPS = 64_000;

export interface CallMediaObserver {
  /** The media leg has given an RTP stream this voice. */
  voice(ssrc: number, voiceId: number): void;
  /** Of the current session. */
  signal(signal: VoiceSignal): void;
  /** The thread of the current session is gone. */
  lost(reason: string): void;
}

/**
 * The media of one call: a leg on an engine thread and a voice session on a bridge thread, with rings between them. The
 * leg and the rings last as long as the call, sessions come and go.
 */
export class CallMedia {
  readonly #bridges: Bridges;
  readonly #observer: CallMediaObserver;
  readonly #rings: PacketRings;
  #session: Promise<OpenedTransport<Record<never, never>> | null> = Promise.resolve(null);
  /** Number of the current session. What earlier ones report is ignored. */
  #current = 0;

  constructor(bridges: Bridges, observer: CallMediaObserver) {
    this.#bridges = bridges;
    this.#observer = observer;
    this.#rings = bridges.packetRings();
  }

  /** Opens the leg. Call it once. `bitrateBps`: the channel's; null: not known. */
  async openLeg(control: MediaControl, bitrateBps: number | null): Promise<void> {
    const open = { rings: this.#rings, sampleRateHz: SAMPLE_RATE_HZ, speakers: 'ssrc' } as const;
    const leg = await control.open(PACKET_MEDIA, open, (event) => {
      if (event.type === 'signal') this.#observer.voice(event.signal.ssrc, event.signal.voice);
    });
    await leg.configure(opusAt(Math.min(bitrateBps ?? BITRATE_BPS, MAX_BITRATE_BPS)));
  }

  /** Replaces the session by a new one, which reports `opened` or `closed`. Rejects when no thread takes it. */
  async connect(access: VoiceAccess): Promise<void> {
    const former = this.#session;
    const number = ++this.#current;
    const isCurrent = (): boolean => this.#current === number;
    const observer = {
      signal: (signal: VoiceSignal) => {
        if (isCurrent()) this.#observer.signal(signal);
      },
      lost: (reason: string) => {
        if (isCurrent()) this.#observer.lost(reason);
      },
    };
    // Two sessions must never write to the same rings.
    this.#session = closed(former).then(() =>
      isCurrent() ? this.#bridges.open(VOICE_TRANSPORT, { access, rings: this.#rings }, observer) : null,
    );
    await this.#session;
  }

  /** Ends the session. Never rejects. */
  async disconnect(): Promise<void> {
    this.#current++;
    const former = this.#session;
    this.#session = closed(former).then(() => null);
    await this.#session;
  }
}

async function closed(session: Promise<OpenedTransport<Record<never, never>> | null>): Promise<void> {
  const transport = await session.catch(() => null);
  await transport?.close();
}

function opusAt(bitrateBps: number): PacketConfig {
  return {
    codec: 'opus',
    payloadType: OPUS_PAYLOAD_TYPE,
    opus: { bitrateBps, maxBitrateBps: null, inbandFec: true },
    sending: true,
    receiving: true,
  };
}
