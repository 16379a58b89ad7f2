import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw } from '../../../src/audio/g711.ts';
import { rtpPacket } from '../../support/packet-stream.ts';
import { EventReader } from './event-reader.ts';
import { LossyLink, type Network } from './lossy-link.ts';
import { Playout } from './playout.ts';
import type { Prompts } from './prompts.ts';
import { ToneDetector } from './tone-detector.ts';

/** What both sides agreed on. */
export interface IvrFormat {
  readonly host: string;
  readonly port: number;
  readonly law: 'PCMU' | 'PCMA';
  /** Of telephone-event at 8,000 Hz; null: keys are read from the audio. */
  readonly eventType: number | null;
}

export interface IvrMediaHost {
  pressed(digit: string): void;
  /** 20 ms in which the caller was heard, but no key. */
  heard(): void;
}

const LAWS = {
  PCMU: { payloadType: 0, decode: decodeUlaw, encode: encodeUlaw },
  PCMA: { payloadType: 8, decode: decodeAlaw, encode: encodeAlaw },
} as const;
const FRAME = 160;
const HEADER_BYTES = 12;
/** Louder than the smallest step of G.711. */
const SOUND = 64;
/** Later than the jitter of a bad network. */
const MARGIN_FRAMES = 2;
const FRAME_MS = 20;
const TICKS_PER_MS = 8;

/** The audio of one caller: prompts go out, keys and voices come in. */
export class IvrMedia {
  readonly port: number;
  readonly reader: EventReader;
  readonly #socket: Socket;
  readonly #host: IvrMediaHost;
  readonly #prompts: Prompts;
  readonly #inbound: LossyLink;
  readonly #outbound: LossyLink;
  readonly #playout: Playout;
  readonly #tones: ToneDetector;
  readonly #ssrc: number;
  #format: IvrFormat | null = null;
  #sequence = 0;
  #firstTimestamp: number | undefined;

  private constructor(socket: Socket, prompts: Prompts, network: Network, host: IvrMediaHost) {
    this.#socket = socket;
    this.#prompts = prompts;
    this.#host = host;
    this.port = socket.address().port;
    this.#ssrc = this.port;
    this.#inbound = new LossyLink(network, this.port);
    this.#outbound = new LossyLink(network, -this.port);
    this.#playout = new Playout(Math.ceil(network.jitterMs / FRAME_MS) + MARGIN_FRAMES);
    this.reader = new EventReader((digit) => host.pressed(digit));
    this.#tones = new ToneDetector((digit) => host.pressed(digit));
    socket.on('message', (packet, from) => {
      if (packet.length < HEADER_BYTES || this.#format === null) return;
      // The last packets of a call that had this port before.
      if (from.port !== this.#format.port) return;
      const mediaMs = this.#mediaMs(packet, this.#format);
      this.#inbound.carry(mediaMs, performance.now(), (sentMs) => this.#receive(packet, sentMs));
    });
  }

  static async open(prompts: Prompts, network: Network, host: IvrMediaHost): Promise<IvrMedia> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new IvrMedia(socket, prompts, network, host);
  }

  /** Sends and hears from now on. */
  start(format: IvrFormat): void {
    this.#format = format;
  }

  /** Sends 20 ms, and hears as much. */
  tick(): void {
    const format = this.#format;
    if (format === null) return;
    this.#send(format, this.#prompts.next());
    const played = this.#playout.next();
    if (played === undefined || played === 'event') return;
    const isKey = format.eventType === null && this.#tones.take(played);
    if (!isKey && played?.some((sample) => Math.abs(sample) > SOUND)) this.#host.heard();
  }

  close(): void {
    this.#format = null;
    this.#socket.close();
  }

  #send({ law, host, port }: IvrFormat, frame: Int16Array): void {
    const { payloadType, encode } = LAWS[law];
    const payload = new Uint8Array(FRAME);
    encode(frame, FRAME, payload, 0);
    const [sequence, timestamp] = [this.#sequence & 0xffff, (this.#sequence * FRAME) >>> 0];
    this.#sequence++;
    const packet = rtpPacket({ payloadType, sequence, timestamp, ssrc: this.#ssrc }, [...payload]);
    this.#outbound.carry(this.#sequence * FRAME_MS, performance.now(), () => {
      if (this.#format !== null) this.#socket.send(packet, port, host);
    });
  }

  /** The sender's clock at the start of a packet's last 20 ms. */
  #mediaMs(packet: Buffer, { eventType }: IvrFormat): number {
    const timestamp = packet.readUInt32BE(4);
    this.#firstTimestamp ??= timestamp;
    const isEvent = (packet[1]! & 0x7f) === eventType && packet.length >= HEADER_BYTES + 4;
    const durationTicks = isEvent ? packet.readUInt16BE(HEADER_BYTES + 2) - FRAME : 0;
    return (((timestamp - this.#firstTimestamp) | 0) + durationTicks) / TICKS_PER_MS;
  }

  #receive(packet: Buffer, atMs: number): void {
    const format = this.#format;
    if (format === null) return;
    const sequence = packet.readUInt16BE(2);
    const payload = packet.subarray(HEADER_BYTES);
    const type = packet[1]! & 0x7f;
    if (type === format.eventType) {
      const marker = (packet[1]! & 0x80) !== 0;
      this.reader.take({ atMs, sequence, timestamp: packet.readUInt32BE(4), marker, payload });
      this.#playout.insert(sequence, 'event');
    } else if (type === LAWS[format.law].payloadType) {
      const samples = new Int16Array(payload.length);
      LAWS[format.law].decode(payload, 0, payload.length, samples);
      this.#playout.insert(sequence, samples);
    } else if (type < 64 || type > 95) this.reader.faults.push(`payload type ${type} was not agreed`);
  }
}
