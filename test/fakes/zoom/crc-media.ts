import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { rtpPacket } from '../../support/packet-stream.ts';
import { EventReader } from '../ivr/event-reader.ts';
import type { CrcCodec, CrcFormat } from './crc-sdp.ts';

const HEADER_BYTES = 12;
const FRAME_MS = 20;
/** 20 ms of silence. */
const SILENCE: Readonly<Record<CrcCodec, readonly number[]>> = {
  PCMU: new Array<number>(160).fill(0xff),
  PCMA: new Array<number>(160).fill(0xd5),
  G722: new Array<number>(160).fill(0xfa),
  opus: [0xf8, 0xff, 0xfe],
};

/** The audio of one room system: it hears itself while it is in the meeting, and silence otherwise. Keys are read. */
export class CrcMedia {
  readonly port: number;
  readonly reader: EventReader;
  /** Whether it is in the meeting. */
  repeats = false;
  /** Packets of audio that came. */
  heard = 0;
  /** Payload types that nobody agreed on. */
  readonly faults: string[] = [];
  readonly #socket: Socket;
  readonly #ssrc: number;
  #format: CrcFormat | null = null;
  #sequence = 0;
  #timestamp = 0;
  /** Whether it has heard itself: from then on it sets the pace. */
  #repeating = false;

  private constructor(socket: Socket, onKey: (key: string) => void) {
    this.#socket = socket;
    this.port = socket.address().port;
    this.#ssrc = this.port;
    this.reader = new EventReader(onKey);
    socket.on('message', (packet) => this.#receive(packet));
  }

  static async open(onKey: (key: string) => void): Promise<CrcMedia> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new CrcMedia(socket, onKey);
  }

  start(format: CrcFormat): void {
    this.#format = format;
  }

  /** Every 20 ms. */
  tick(): void {
    if (this.#format !== null && !this.#repeating) this.#send(this.#format, SILENCE[this.#format.codec]);
  }

  close(): void {
    this.#format = null;
    this.#socket.close();
  }

  #receive(packet: Buffer): void {
    const format = this.#format;
    if (format === null || packet.length < HEADER_BYTES) return;
    const payload = packet.subarray(HEADER_BYTES);
    const type = packet[1]! & 0x7f;
    if (type === format.payloadType) {
      this.heard++;
      this.#repeating = this.repeats;
      if (this.repeats) this.#send(format, payload);
    } else if (type === format.eventType) {
      const [marker, sequence] = [(packet[1]! & 0x80) !== 0, packet.readUInt16BE(2)];
      this.reader.take({
        atMs: performance.now(),
        sequence,
        timestamp: packet.readUInt32BE(4),
        marker,
        payload,
      });
    } else if (type < 64 || type > 95) this.faults.push(`payload type ${type} was not agreed`);
  }

  #send({ codec, payloadType, host, port }: CrcFormat, payload: Iterable<number>): void {
    const [sequence, timestamp] = [this.#sequence++ & 0xffff, this.#timestamp >>> 0];
    this.#timestamp += (FRAME_MS * (codec === 'opus' ? 48_000 : 8_000)) / 1_000;
    this.#socket.send(
      rtpPacket({ payloadType, sequence, timestamp, ssrc: this.#ssrc }, [...payload]),
      port,
      host,
    );
  }
}
