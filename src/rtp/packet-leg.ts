import { newJitterCounters } from '../audio/jitter-counters.ts';
import { wallMs } from '../base/wall-ms.ts';
import {
  MAX_VOICES,
  type MediaLeg,
  type MediaLegHost,
  newMediaCounters,
  type Voice,
} from '../media/media-leg.ts';
import type { PacketRecord } from '../rings/packet-ring.ts';
import type { VoiceCodecs } from './codecs/voice-codecs.ts';
import { RingPath } from './paths/ring-path.ts';
import { RtpPacket } from './rtp-packet.ts';
import type { PacketConfig, PacketOpen, VoiceSignal } from './rtp-protocol.ts';
import { RtpState } from './rtp-state.ts';
import { RtpSender } from './sending/rtp-sender.ts';
import { Sources } from './sources/sources.ts';

const TICKS_BETWEEN_TENDING = 50;
/** Packets of a source in a tick: two of 10 ms, without end. */
const PACKETS_PER_TICK = 2;
/** A rate is needed even though nothing is sent by telephone-event. */
const NO_DTMF = { dtmfPayloadType: null, dtmfClockRateHz: 8_000 } as const;

/** Media of one call whose transport, on a bridge thread, exchanges RTP packets. */
export class PacketLeg implements MediaLeg<PacketConfig, Record<never, never>> {
  readonly sampleRateHz: number;
  readonly resting = false;
  readonly onHold = false;
  readonly commands = {};
  readonly voices = Array.from({ length: MAX_VOICES }, (_, voice) => this.#voice(voice));
  readonly #counters = {
    ...newMediaCounters(),
    ...newJitterCounters(),
    /** Packets that are not RTP, have a payload length or type that was not agreed, or have broken padding. */
    malformed: 0,
  };
  readonly #codecs: VoiceCodecs;
  readonly #host: MediaLegHost<VoiceSignal>;
  readonly #path: RingPath;
  readonly #sources: Sources;
  readonly #sender: RtpSender;
  readonly #packet = new RtpPacket();
  readonly #take = (record: PacketRecord): void => this.#receive(record);
  #config: PacketConfig | null = null;
  /** Wall-clock time at which this tick's frames were pulled. The pull comes before the push. */
  #tickMs = wallMs();
  #ticksToTend = TICKS_BETWEEN_TENDING;
  #isFlowing = false;
  /** Packets of sources beyond MAX_SOURCES. */
  #refused = 0;

  constructor(
    { rings, sampleRateHz, speakers }: PacketOpen,
    codecs: VoiceCodecs,
    memory: SharedArrayBuffer,
    host: MediaLegHost<VoiceSignal>,
  ) {
    const nowMs = this.#tickMs;
    this.sampleRateHz = sampleRateHz;
    this.#codecs = codecs;
    this.#host = host;
    this.#path = new RingPath(rings, memory);
    this.#sources = new Sources({
      roomRateHz: sampleRateHz,
      maxJitterDelayMs: codecs.maxJitterDelayMs,
      speakers,
      memory,
      nowMs,
      onVoice: (voice, ssrc) => host.emit({ type: 'signal', signal: { type: 'voice', voice, ssrc } }),
    });
    this.#sender = new RtpSender(codecs, sampleRateHz, {
      memory: new RtpState(memory),
      nowMs,
      send: (bytes, length) => this.#send(bytes, length),
    });
  }

  /** Always the same object, updated on each access. `overflowed` includes packets of too many sources. */
  get counters() {
    const counters = Object.assign(this.#counters, this.#sources.count());
    counters.delayMs = this.#sources.delayMs;
    counters.unsent = this.#path.unsent;
    counters.overflowed = this.#path.overflowed + this.#refused;
    return counters;
  }

  configure(next: PacketConfig): void {
    this.#sender.configure({ ...next, ...NO_DTMF }, null, wallMs());
    if (next.codec !== this.#config?.codec || !next.receiving) this.#sources.clear();
    this.#config = next;
  }

  push(frame: Int16Array, voiced: boolean): void {
    if (this.#config?.sending) this.#sender.push(frame, voiced, this.#tickMs);
  }

  close(): void {
    this.#config = null;
    this.#sources.clear();
    this.#sender.dtmf.close();
    this.#sender.close();
  }

  #voice(voice: number): Voice {
    const arrivedAtMs = () => this.#sources.arrivedAtMs(voice);
    return {
      pull: (frame) => this.#pull(voice, frame),
      get arrivedAtMs() {
        return arrivedAtMs();
      },
    };
  }

  /** The first voice is pulled first, so it begins the leg's tick. */
  #pull(voice: number, frame: Int16Array): boolean {
    if (voice === 0) this.#beginTick();
    return this.#sources.pull(voice, frame);
  }

  #beginTick(): void {
    this.#tickMs = wallMs();
    // One source more than is known, as it can begin at any time.
    this.#path.receive(this.#take, PACKETS_PER_TICK * (this.#sources.size + 1));
    this.#ticksToTend--;
    if (this.#ticksToTend > 0) return;
    this.#ticksToTend = TICKS_BETWEEN_TENDING;
    this.#sources.tend(this.#tickMs);
  }

  #receive({ bytes, start, end, arrivalMs }: PacketRecord): void {
    const config = this.#config;
    if (!config?.receiving) return;
    const packet = this.#packet;
    if (!packet.read(bytes, start, end) || !packet.trimPadding() || packet.payloadType !== config.payloadType)
      this.#counters.malformed++;
    else this.#insert(packet, config, arrivalMs);
  }

  #insert(packet: RtpPacket, { codec }: PacketConfig, arrivalMs: number): void {
    const nowMs = this.#tickMs;
    let source = this.#sources.find(packet);
    if (source === null) {
      if (!this.#sources.hasRoom(nowMs)) {
        this.#refused++;
        return;
      }
      source = this.#sources.add(packet, this.#codecs.decoder(codec, this.sampleRateHz), nowMs);
    }
    if (this.#sources.insert(source, packet, arrivalMs, nowMs)) this.#noteReceived();
    else this.#counters.malformed++;
  }

  #noteReceived(): void {
    this.#counters.packetsReceived++;
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    this.#host.emit({ type: 'flowing' });
  }

  #send(bytes: Uint8Array, length: number): void {
    if (this.#path.send(bytes, length, this.#tickMs)) this.#counters.packetsSent++;
  }
}
